// timeline/drawing/open_slice.cpp: keeps the texts of arguments until their slice ends.
#include "timeline/drawing/open_slice.h"

namespace perseid {

void ArgumentList::copy_text(Argument& added) {
  auto& text = std::get<std::string_view>(added.value);
  const char* const before = text_.data();
  const size_t size = text_.size();
  text_.insert(text_.end(), text.begin(), text.end());
  if (text_.data() != before) {  // the earlier texts moved
    for (Argument& item : items_) {
      auto* const old = std::get_if<std::string_view>(&item.value);
      if (old == nullptr || &item == &added) continue;
      *old = {text_.data() + (old->data() - before), old->size()};
    }
  }
  text = {text_.data() + size, text.size()};
}

}  // namespace perseid
