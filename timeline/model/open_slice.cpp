// timeline/model/open_slice.cpp: keeps the texts of arguments until their slice ends.
#include "timeline/model/open_slice.h"

namespace perseid {

void ArgumentList::add(const Argument& argument) {
  Argument kept = argument;
  if (const auto* text = std::get_if<std::string_view>(&argument.value)) kept.value = keep(*text);
  for (Argument& item : items_) {
    if (item.key == kept.key) {
      item = kept;
      return;
    }
  }
  items_.push_back(kept);
}

void ArgumentList::append(const Argument& argument) {
  Argument kept = argument;
  if (const auto* text = std::get_if<std::string_view>(&argument.value)) kept.value = keep(*text);
  items_.push_back(kept);
}

std::string_view ArgumentList::keep(std::string_view text) {
  const char* const before = text_.data();
  const size_t size = text_.size();
  text_.insert(text_.end(), text.begin(), text.end());
  if (text_.data() != before) {  // the earlier texts moved
    for (Argument& item : items_) {
      if (auto* old = std::get_if<std::string_view>(&item.value)) {
        *old = {text_.data() + (old->data() - before), old->size()};
      }
    }
  }
  return {text_.data() + size, text.size()};
}

}  // namespace perseid
