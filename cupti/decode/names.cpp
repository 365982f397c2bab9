// cupti/decode/names.cpp: tables of CUPTI's enumerators, and demangling.
#include "cupti/decode/names.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "cupti/numbers.h"

namespace perseid::cupti {
namespace {

std::string demangle(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : mangled;
}

/// Cuts the parameters off "void scale<float>(float*, int)", and the type before the name.
std::string shorten(std::string_view whole) {
  size_t depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    const char c = whole[i];
    if (c == '<') ++depth;
    if (c == '>' && depth > 0) --depth;
    if (depth > 0) continue;
    if (c == ' ') begin = i + 1;
    const bool is_anonymous = whole.substr(i).starts_with("(anonymous namespace)");
    if (c == '(' && is_anonymous) i += std::string_view("(anonymous namespace)").size() - 1;
    if (c == '(' && !is_anonymous && i > begin) return std::string(whole.substr(begin, i - begin));
  }
  return std::string(whole.substr(begin));
}

}  // namespace

std::string_view copy_name(uint8_t copy_kind) {
  switch (static_cast<CopyKind>(copy_kind)) {
    case CopyKind::kHostToDevice:
      return "copy host → device";
    case CopyKind::kDeviceToHost:
      return "copy device → host";
    case CopyKind::kHostToArray:
      return "copy host → array";
    case CopyKind::kArrayToHost:
      return "copy array → host";
    case CopyKind::kArrayToArray:
      return "copy array → array";
    case CopyKind::kArrayToDevice:
      return "copy array → device";
    case CopyKind::kDeviceToArray:
      return "copy device → array";
    case CopyKind::kDeviceToDevice:
      return "copy device → device";
    case CopyKind::kHostToHost:
      return "copy host → host";
    case CopyKind::kPeerToPeer:
      return "copy peer → peer";
    default:
      return "copy";
  }
}

std::string_view memory_name(uint8_t memory_kind) {
  switch (static_cast<MemoryKind>(memory_kind)) {
    case MemoryKind::kPageable:
      return "pageable";
    case MemoryKind::kPinned:
      return "pinned";
    case MemoryKind::kDevice:
      return "device";
    case MemoryKind::kArray:
      return "array";
    case MemoryKind::kManaged:
      return "managed";
    case MemoryKind::kDeviceStatic:
      return "device static";
    case MemoryKind::kManagedStatic:
      return "managed static";
    default:
      return "unknown";
  }
}

std::string_view sync_name(uint32_t sync_type) {
  switch (static_cast<SyncType>(sync_type)) {
    case SyncType::kEvent:
      return "wait for event";
    case SyncType::kStreamWaitsForEvent:
      return "stream waits for event";
    case SyncType::kStream:
      return "wait for stream";
    case SyncType::kContext:
      return "wait for device";
    default:
      return "wait";
  }
}

std::string_view overhead_name(uint32_t overhead_kind) {
  switch (static_cast<OverheadKind>(overhead_kind)) {
    case OverheadKind::kCompiler:
      return "driver compiles";
    case OverheadKind::kBufferFlush:
      return "CUPTI flushes buffers";
    case OverheadKind::kInstrumentation:
      return "CUPTI instruments";
    case OverheadKind::kResource:
      return "CUPTI makes resources";
    case OverheadKind::kModuleLoading:
      return "module is loaded";
    case OverheadKind::kFunctionLoading:
      return "function is loaded";
    case OverheadKind::kCommandBufferFull:
      return "command buffer is full";
    case OverheadKind::kBufferRequest:
      return "CUPTI asks for a buffer";
    case OverheadKind::kManagedMemory:
      return "managed memory is set up";
    default:
      return "overhead";
  }
}

std::string dimensions(uint32_t x, uint32_t y, uint32_t z) {
  return fmt::format("{} x {} x {}", x, y, z);
}

const KernelNames::Name& KernelNames::of(uint32_t mangled) {
  const auto [found, is_new] = names_.try_emplace(mangled);
  if (is_new) {
    found->second.whole =
        mangled != 0 ? demangle(std::string(model_->strings.text(mangled))) : "kernel";
    found->second.shown = shorten(found->second.whole);
  }
  return found->second;
}

std::string_view without_version(std::string_view function) {
  for (;;) {
    const size_t at = function.rfind('_');
    if (at == std::string_view::npos || at == 0) return function;
    const std::string_view last = function.substr(at + 1);
    const bool is_version = last.size() >= 2 && last[0] == 'v' &&
                            last.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (!is_version && last != "ptsz" && last != "ptds") return function;
    function = function.substr(0, at);
  }
}

}  // namespace perseid::cupti
