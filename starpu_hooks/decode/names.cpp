// starpu_hooks/decode/names.cpp: finds names of codelets, functions, contexts and nodes.
#include "starpu_hooks/decode/names.h"

#include <fmt/format.h>

#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {

void Names::set_codelet(uint32_t name, const Payload& words) {
  CodeletFacts& facts = codelets_[words[0]];
  const uint32_t where = high_half(words[1]);
  facts = {name, low_half(words[1]), where, 0, (where & kNowhere) != 0, 0};
}

void Names::set_codelet_function(uint32_t architecture, const Payload& words) {
  const auto known = codelets_.find(words[0]);
  if (known == codelets_.end()) return;
  CodeletFacts& facts = known->second;
  if (facts.function == 0) facts.function = words[2];
  switch (static_cast<Architecture>(architecture)) {
    case Architecture::kCpu:
      facts.functions |= kOnCpu;
      return;
    case Architecture::kCuda:
      facts.functions |= kOnCuda;
      return;
    case Architecture::kOpencl:
      facts.functions |= kOnOpencl;
      return;
    default:
      facts.functions |= kOnOther;
  }
}

void Names::set_function(uint32_t symbol, const Payload& words) {
  std::string_view& text = functions_[words[0]];
  const CodePlace& place = model_->symbols.function(words[0], ticks_);
  if (!place.function.empty()) {
    text = keep(place.text());
    return;
  }
  if (symbol != 0) {
    text = keep(shown_function(model_->strings.text(symbol)));
    return;
  }
  const auto file = static_cast<uint32_t>(words[1]);
  if (file == 0) return;
  const std::string_view path = model_->strings.text(file);
  text = keep(fmt::format("{}+0x{:x}", path.substr(path.find_last_of('/') + 1), words[2]));
}

void Names::set_context(uint32_t context, const Payload& words) {
  const auto policy = static_cast<uint32_t>(words[0]);
  policies_[context] = policy != 0 ? model_->strings.text(policy) : std::string_view();
}

void Names::set_memory_node(uint32_t node, const Payload& words) {
  if (low_half(words[0]) != 0) nodes_[node] = model_->strings.text(low_half(words[0]));
}

const CodeletFacts* Names::codelet(uint64_t address) const {
  const auto known = codelets_.find(address);
  return known != codelets_.end() ? &known->second : nullptr;
}

std::string_view Names::function(uint64_t address) {
  std::string_view& text = functions_[address];
  if (text.empty()) {
    const std::string place = model_->symbols.function(address, ticks_).text();
    text = keep(place.empty() ? fmt::format("0x{:x}", address) : place);
  }
  return text;
}

std::string_view Names::policy(uint32_t context) const {
  const auto known = policies_.find(context);
  return known != policies_.end() ? known->second : std::string_view();
}

std::string_view Names::memory_node(uint32_t node) {
  std::string_view& text = nodes_[node];
  if (text.empty()) text = keep(fmt::format("node {}", node));
  return text;
}

std::string_view Names::task(uint32_t task_name, uint64_t codelet_address, bool is_codelet_known) {
  const CodeletFacts* const facts = codelet(codelet_address);
  // StarPU answers with the model's name before the codelet's.
  const bool is_models = facts != nullptr && facts->model == task_name && facts->name != 0;
  if (task_name != 0 && !is_models) return model_->strings.text(task_name);
  if (codelet_address == 0) return is_codelet_known ? "(no codelet)" : "(unnamed)";
  if (facts == nullptr) return "(unnamed)";
  if (facts->name != 0) return model_->strings.text(facts->name);
  return facts->function != 0 ? function(facts->function) : "(unnamed)";
}

std::string_view Names::submission(std::string_view task_name) {
  std::string_view& text = submissions_[task_name];
  if (text.empty()) text = keep(fmt::format("submit {}", task_name));
  return text;
}

bool is_stealing(std::string_view policy) noexcept {
  return policy == "ws" || policy == "lws" || policy.ends_with("-ws");
}

}  // namespace perseid::starpu::decoding
