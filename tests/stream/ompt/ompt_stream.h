// tests/stream/ompt/ompt_stream.h: OpenMP's records, written as a program would cause them.
#pragma once

#include "ompt/events.h"
#include "ompt/numbers.h"
#include "tests/stream/fabricate.h"

namespace perseid::test {

/// Adds records of one thread in the order of their times.
class OmptStream {
 public:
  explicit OmptStream(StreamBuilder& stream) : stream_(&stream) {}

  OmptStream& thread(int64_t at, ompt::ThreadType type) {
    return add(at, ompt::kThreadBegin, static_cast<uint32_t>(type));
  }
  OmptStream& parallel(int64_t at, uint64_t region) {
    return add(at, ompt::kParallelBegin, 2, {region, 0});
  }
  OmptStream& parallel_end(int64_t at, uint64_t region) {
    return add(at, ompt::kParallelEnd, 0, {region});
  }
  OmptStream& implicit(int64_t at, uint64_t task, uint64_t region, uint32_t number,
                       uint32_t team_size = 2, uint64_t processor_and_one = 0) {
    return add(at, ompt::kImplicitBegin, number,
               {task, region, team_size, ompt::kTaskImplicit | processor_and_one << 32});
  }
  OmptStream& initial(int64_t at, uint64_t task) {
    return add(at, ompt::kImplicitBegin, 1, {task, 0, 1, ompt::kTaskInitial});
  }
  OmptStream& implicit_end(int64_t at, uint32_t flags = ompt::kTaskImplicit) {
    return add(at, ompt::kImplicitEnd, flags);
  }
  OmptStream& create(int64_t at, uint64_t task, uint32_t flags = ompt::kTaskExplicit) {
    return add(at, ompt::kTaskCreate, flags, {task, 0});
  }
  OmptStream& depend(int64_t at, uint64_t task,
                     const std::vector<std::pair<ompt::DependenceType, uint64_t>>& on) {
    Words words{task};
    for (const auto& [type, address] : on) {
      words.push_back(uint64_t{static_cast<uint32_t>(type)} << ompt::kDependenceTypeShift |
                      address);
    }
    return add(at, ompt::kDependences, static_cast<uint32_t>(on.size()), words);
  }
  /// 0: the wait that begins.
  OmptStream& own_depend(int64_t at, uint32_t lower_half, ompt::DependenceType type,
                         uint64_t address) {
    return add(at, ompt::kOwnDependences, lower_half,
               {uint64_t{static_cast<uint32_t>(type)} << ompt::kDependenceTypeShift | address});
  }
  OmptStream& run(int64_t at, uint64_t task) {
    return add(at, ompt::kTaskSwitch, static_cast<uint32_t>(ompt::TaskStatus::kSwitch), {task});
  }
  OmptStream& end(int64_t at, uint64_t task, uint64_t next,
                  ompt::TaskStatus status = ompt::TaskStatus::kComplete) {
    return add(at, ompt::kTaskEnd, static_cast<uint32_t>(status), {task, next});
  }
  OmptStream& own_create(int64_t at, uint32_t lower_half, uint32_t flags = ompt::kTaskExplicit) {
    return add(at, ompt::kOwnTaskCreate, lower_half, {ompt::code_and_flags(0, flags)});
  }
  OmptStream& own_run(int64_t at, uint32_t lower_half) {
    return add(at, ompt::kOwnTaskSwitch, lower_half);
  }
  OmptStream& return_to(int64_t at, uint64_t task) {
    return add(at, ompt::kTaskReturn, static_cast<uint32_t>(task));
  }
  OmptStream& note(int64_t at, uint64_t task, ompt::TaskStatus status) {
    return add(at, ompt::kTaskNote, static_cast<uint32_t>(status), {task});
  }
  OmptStream& sync(int64_t at, ompt::SyncKind kind) {
    return add(at, ompt::kSyncBegin, static_cast<uint32_t>(kind), {0});
  }
  OmptStream& sync_end(int64_t at, ompt::SyncKind kind) {
    return add(at, ompt::kSyncEnd, static_cast<uint32_t>(kind));
  }
  OmptStream& add(int64_t at, ompt::Event event, uint32_t arg, const Words& words = {}) {
    stream_->record(at, ompt::kind(event), arg, words);
    return *this;
  }

 private:
  StreamBuilder* stream_;
};

}  // namespace perseid::test
