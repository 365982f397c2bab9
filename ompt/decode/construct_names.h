// ompt/decode/construct_names.h: what a construct is called on the timeline.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "timeline/model/id_table.h"
#include "timeline/symbols/symbols.h"

namespace perseid::ompt {

/// The first words of names. They are followed by "function (file.cpp:42)".
enum class Construct : uint8_t {
  kTask,
  kCreate,
  kParallel,
  kTeams,
  kBarrier,
  kTaskwait,
  kTaskgroup,
  kTaskgroupWait,
  kReduction,
  kLoop,
  kLoopStatic,
  kLoopDynamic,
  kLoopGuided,
  kSections,
  kSingle,
  kWorkshare,
  kDistribute,
  kTaskloop,
  kScope,
  kChunk,
  kMasked,
  kCritical,
  kOrdered,
  kLock,
  kNestLock,
  kAtomic,
  kWaitCritical,
  kWaitOrdered,
  kWaitLock,
  kWaitNestLock,
  kWaitAtomic,
  kCancel,
  kTarget,
  kTargetEnterData,
  kTargetExitData,
  kTargetUpdate,
};

/// Names that stay where they are as long as this object lives: slices point to them.
class ConstructNames {
 public:
  explicit ConstructNames(Symbols& symbols) : symbols_(&symbols) {}

  /// 0 or an address inside the runtime gives the words alone.
  std::string_view of(Construct construct, uint64_t code, uint64_t ticks);
  /// Whether the address is a place in the program.
  bool is_in_program(uint64_t code, uint64_t ticks);

 private:
  const CodePlace* place_of(uint64_t code, uint64_t ticks);
  std::string_view make(Construct construct, const CodePlace* place);

  Symbols* symbols_;
  IdTable<const CodePlace*> places_;  // by address
  IdTable<std::string_view> names_;   // by construct and place
  std::deque<std::string> texts_;
};

}  // namespace perseid::ompt
