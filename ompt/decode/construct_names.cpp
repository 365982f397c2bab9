// ompt/decode/construct_names.cpp: names constructs by function and source line.
#include "ompt/decode/construct_names.h"

namespace perseid::ompt {
namespace {

constexpr std::string_view kWords[] = {"task",
                                       "create",
                                       "parallel",
                                       "teams",
                                       "barrier",
                                       "taskwait",
                                       "taskgroup",
                                       "taskgroup wait",
                                       "reduction",
                                       "loop",
                                       "loop static",
                                       "loop dynamic",
                                       "loop guided",
                                       "sections",
                                       "single",
                                       "workshare",
                                       "distribute",
                                       "taskloop",
                                       "scope",
                                       "chunk",
                                       "masked",
                                       "critical",
                                       "ordered",
                                       "lock",
                                       "nest lock",
                                       "atomic",
                                       "wait for critical",
                                       "wait for ordered",
                                       "wait for lock",
                                       "wait for nest lock",
                                       "wait for atomic",
                                       "cancel",
                                       "target",
                                       "target enter data",
                                       "target exit data",
                                       "target update"};
static_assert(std::size(kWords) == static_cast<size_t>(Construct::kTargetUpdate) + 1);

}  // namespace

const CodePlace* ConstructNames::place_of(uint64_t code, uint64_t ticks) {
  if (code == 0) return nullptr;
  const CodePlace*& known = places_[code];
  if (known == nullptr || symbols_->depends_on_time()) known = &symbols_->caller(code, ticks);
  return known->is_runtime || known->module.empty() ? nullptr : known;
}

bool ConstructNames::is_in_program(uint64_t code, uint64_t ticks) {
  return place_of(code, ticks) != nullptr;
}

std::string_view ConstructNames::of(Construct construct, uint64_t code, uint64_t ticks) {
  const CodePlace* const place = place_of(code, ticks);
  // Places never move; their addresses have room for the construct in the bits above.
  const auto key = reinterpret_cast<uint64_t>(place) ^ uint64_t { static_cast<uint8_t>(construct) }
                                                           << 56;
  std::string_view& name = names_[key + 1];
  if (name.empty()) name = make(construct, place);
  return name;
}

std::string_view ConstructNames::make(Construct construct, const CodePlace* place) {
  const std::string_view words = kWords[static_cast<size_t>(construct)];
  if (place == nullptr) return words;
  const std::string text = place->text();
  // A task is what happens at its line; everything else is a construct there.
  texts_.push_back(construct == Construct::kTask ? text : std::string(words) + " " + text);
  return texts_.back();
}

}  // namespace perseid::ompt
