// plugin/settings/rank_selection.cpp: reads a selection item by item; there is nothing to keep.
#include "plugin/settings/rank_selection.h"

#include <charconv>

namespace perseid {
namespace {

constexpr std::string_view kEvery = "every:";

struct Item {
  uint32_t first = 0;
  uint32_t last = 0;
  uint32_t step = 1;
};

bool read_number(std::string_view& text, uint32_t& number) noexcept {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  return true;
}

bool read_item(std::string_view text, Item& item) noexcept {
  if (text.starts_with(kEvery)) {
    text.remove_prefix(kEvery.size());
    item = {0, UINT32_MAX, 0};
    return read_number(text, item.step) && text.empty() && item.step > 0;
  }
  if (!read_number(text, item.first)) return false;
  item.last = item.first;
  if (text.empty()) return true;
  if (text[0] != '-') return false;
  text.remove_prefix(1);
  return read_number(text, item.last) && text.empty() && item.last >= item.first;
}

/// Calls visit(item) until it returns true, or all are seen. False if an item cannot be read.
template <class Visit>
bool each_item(std::string_view selection, Visit visit) noexcept {
  while (!selection.empty()) {
    const size_t end = selection.find(',');
    Item item;
    if (!read_item(selection.substr(0, end), item)) return false;
    if (visit(item)) return true;
    selection.remove_prefix(end == std::string_view::npos ? selection.size() : end + 1);
  }
  return true;
}

}  // namespace

bool is_rank_selection(std::string_view text) noexcept {
  return !text.empty() && text.back() != ',' && each_item(text, [](const Item&) { return false; });
}

bool selects_rank(std::string_view selection, uint32_t rank) noexcept {
  bool is_selected = selection.empty();
  each_item(selection, [&](const Item& item) {
    return is_selected =
               rank >= item.first && rank <= item.last && (rank - item.first) % item.step == 0;
  });
  return is_selected;
}

SelectedRanks selected_ranks(std::string_view selection, uint32_t size) noexcept {
  if (selection.empty()) return {size, 0};
  SelectedRanks found{0, size};
  for (uint32_t rank = 0; rank < size; ++rank) {
    if (!selects_rank(selection, rank)) continue;
    if (found.count == 0) found.lowest = rank;
    ++found.count;
  }
  return found;
}

}  // namespace perseid
