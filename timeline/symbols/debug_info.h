// timeline/symbols/debug_info.h: from an address in a file to function and source line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "timeline/symbols/code_place.h"
#include "timeline/symbols/module_table.h"

namespace perseid {

/// The debug information of one program or library: its own, or that of a separate file
/// (debug_link.h). Tables are made for those compilation units only that are asked for.
class DebugInfo {
 public:
  /// Null if there is none, or the file is no longer the one that was traced.
  static std::unique_ptr<DebugInfo> open(const Module& module);
  virtual ~DebugInfo() = default;

  /// Fills function, file and line as far as they are known for the address in the file.
  virtual void find(uint64_t address, CodePlace& place) = 0;
};

}  // namespace perseid
