// timeline/writers/perfetto_fields.h: the numbers of the fields of Perfetto's trace format that we
// write. tests/unit/timeline/writers/perfetto_subset.proto has the same in its own language.
#pragma once

#include <cstdint>

namespace perseid::perfetto {

namespace trace {
inline constexpr uint32_t kPacket = 1;
}

namespace packet {
inline constexpr uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11,
                          kInternedData = 12, kSequenceFlags = 13, kClockId = 58, kDefaults = 59,
                          kTrackDescriptor = 60;
/// Ours: JSON text. Perfetto keeps 1000 to 1999 for fields of others, and passes over those that it
/// does not know.
inline constexpr uint32_t kReport = 1777;
inline constexpr uint64_t kStateCleared = 1;  // a value of kSequenceFlags
}  // namespace packet

namespace defaults {
inline constexpr uint32_t kTrackEvent = 11, kClockId = 58;
inline constexpr uint32_t kTrackUuid = 11;  // in the message kTrackEvent
}  // namespace defaults

namespace clocks {
inline constexpr uint32_t kClock = 1, kPrimary = 2;
inline constexpr uint32_t kId = 1, kTimestamp = 2;  // in the message kClock
inline constexpr uint64_t kRealtime = 1, kMonotonic = 3, kBoottime = 6;
inline constexpr uint64_t kOwn = 64;  // the first number that belongs to a sequence
}  // namespace clocks

namespace interned {
inline constexpr uint32_t kCategories = 1, kNames = 2, kKeys = 3, kCorrelations = 43;
inline constexpr uint32_t kId = 1, kText = 2;  // in each of them
}  // namespace interned

namespace event {
inline constexpr uint32_t kCategoryId = 3, kAnnotation = 4, kLegacy = 6, kType = 9, kNameId = 10,
                          kTrackUuid = 11, kCategory = 22, kName = 23, kCounterValue = 30,
                          kDoubleCounterValue = 44, kFlowId = 47, kCorrelation = 53,
                          kCorrelationId = 54;
inline constexpr uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;  // values of kType
}  // namespace event

namespace legacy {
inline constexpr uint32_t kPhase = 2, kUnscopedId = 6, kBindId = 8, kBindToEnclosing = 12,
                          kFlowDirection = 13;
inline constexpr uint64_t kFlowIn = 1;  // a value of kFlowDirection
}  // namespace legacy

namespace annotation {
inline constexpr uint32_t kKeyId = 1, kBool = 2, kUnsigned = 3, kSigned = 4, kDouble = 5, kText = 6,
                          kPointer = 7, kKey = 10;
}

namespace descriptor {
inline constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5,
                          kCounter = 8, kChildOrdering = 11, kRank = 12, kProcessOrdering = 19,
                          kThreadOrdering = 20;
inline constexpr uint64_t kByRank = 3;    // a value of kChildOrdering
inline constexpr uint64_t kExplicit = 1;  // of kProcessOrdering and kThreadOrdering
}  // namespace descriptor

namespace process {
inline constexpr uint32_t kPid = 1, kName = 6, kLabel = 8;
}
namespace thread {
inline constexpr uint32_t kPid = 1, kTid = 2, kName = 5;
}
namespace counter {
inline constexpr uint32_t kUnit = 3, kUnitName = 6;
inline constexpr uint64_t kBytes = 3;  // a value of kUnit: the reader scales to KB, MB, GB
}  // namespace counter

}  // namespace perseid::perfetto
