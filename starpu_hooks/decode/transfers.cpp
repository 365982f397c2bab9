// starpu_hooks/decode/transfers.cpp: draws copies between memory nodes, and counts memory.
#include "starpu_hooks/decode/transfers.h"

#include <fmt/format.h>

#include <cerrno>

#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {
namespace {

constexpr uint32_t source_of(uint32_t nodes) { return nodes & 0xffff; }
constexpr uint32_t destination_of(uint32_t nodes) { return nodes >> 16; }

}  // namespace

Lane& Transfers::lane(uint32_t nodes) {
  const auto known = lanes_.find(nodes);
  if (known != lanes_.end()) return known->second;
  Track track;
  track.kind = TrackKind::kLane;
  track.group = TrackGroup::kMemory;
  track.order = source_of(nodes) << 16 | destination_of(nodes);
  track.name = fmt::format("{} → {}", parts_->names.memory_node(source_of(nodes)),
                           parts_->names.memory_node(destination_of(nodes)));
  const TrackId added = parts_->model.tracks.add(std::move(track));
  return lanes_.try_emplace(nodes, parts_->model.tracks, parts_->model.sink, added).first->second;
}

void Transfers::begin(Thread& thread, int64_t at_ns, uint32_t nodes, const Payload& words) {
  const auto before = open_by_thread_.find(&thread);
  if (before != open_by_thread_.end()) {
    Copy& lost = copies_[before->second];
    (*lost.lane)[lost.slice].arguments.add({"end", std::string_view("lost")});
    close(before->second, at_ns);
  }
  if (free_copies_.empty()) {
    free_copies_.push_back(static_cast<uint32_t>(copies_.size()));
    copies_.emplace_back();
  }
  const uint32_t index = free_copies_.back();
  free_copies_.pop_back();
  open_by_thread_[&thread] = index;

  uint64_t handle = parts_->data.find(source_of(nodes), words[1], words[0]);
  if (handle == 0) handle = parts_->data.find(destination_of(nodes), words[2], words[0]);
  Lane& on = lane(nodes);
  Copy& copy = copies_[index];
  copy = {};
  copy.lane = &on;
  copy.slice = on.open_beside(at_ns, "copy", kTransferCategory);
  copy.bytes = words[0];
  copy.data = parts_->data.id(handle);
  copy.thread = thread.id;
  copy.nodes = nodes;
  copy.begin_ns = on[copy.slice].begin_ns;
  copy.is_open = true;
  ArgumentList& arguments = on[copy.slice].arguments;
  arguments.append({"bytes", words[0]});
  if (handle != 0) arguments.append({"data", std::string_view(parts_->data.name(handle))});
  arguments.append({"by", std::string_view(parts_->model.tracks[thread.lane.track()].name)});
  parts_->counters.bytes_in_flight.add(at_ns, static_cast<double>(words[0]));
}

void Transfers::start_part(Thread& thread, const Payload& words) {
  const auto open = open_by_thread_.find(&thread);
  if (open == open_by_thread_.end() || words[0] == 0) return;
  ++copies_[open->second].open_parts;
  part_of_[words[0]] = open->second;
}

void Transfers::end(Thread& thread, int64_t at_ns, uint32_t result, const Payload&) {
  const auto open = open_by_thread_.find(&thread);
  if (open == open_by_thread_.end()) {
    ++parts_->model.orphan_ends;
    return;
  }
  const uint32_t index = open->second;
  Copy& copy = copies_[index];
  copy.has_returned = true;
  const auto error = static_cast<int32_t>(result);
  ArgumentList& arguments = (*copy.lane)[copy.slice].arguments;
  if (error == -EAGAIN) {
    arguments.append({"enqueue_ns", at_ns - copy.begin_ns});
    if (copy.open_parts == 0 && copy.device_ns == 0) {
      arguments.append({"end", std::string_view("not seen")});
    }
  } else if (error != 0) {
    arguments.append({"result", int64_t{error}});
  }
  open_by_thread_.erase(open);
  if (copy.open_parts == 0) close(index, at_ns);
}

void Transfers::end_part(int64_t at_ns, uint32_t error, const Payload& words) {
  const uint32_t* const found = part_of_.find(words[0]);
  if (found == nullptr) {
    ++parts_->model.orphan_ends;
    return;
  }
  const uint32_t index = *found;
  part_of_.erase(words[0]);
  Copy& copy = copies_[index];
  if (!copy.is_open || copy.open_parts == 0) return;
  copy.device_ns += words[1];
  if (error != 0) {
    (*copy.lane)[copy.slice].arguments.add({"error", int64_t{static_cast<int32_t>(error)}});
  }
  if (--copy.open_parts == 0 && copy.has_returned) close(index, at_ns);
}

void Transfers::close(uint32_t index, int64_t at_ns) {
  Copy& copy = copies_[index];
  ArgumentList& arguments = (*copy.lane)[copy.slice].arguments;
  const int64_t duration_ns = at_ns - copy.begin_ns;
  const uint64_t taken_ns = copy.device_ns != 0
                                ? copy.device_ns
                                : static_cast<uint64_t>(std::max<int64_t>(0, duration_ns));
  if (copy.device_ns != 0) arguments.append({"device_ns", copy.device_ns});
  if (taken_ns > 0) {
    arguments.append(
        {"gigabytes_per_second", static_cast<double>(copy.bytes) / static_cast<double>(taken_ns)});
  }
  parts_->counters.bytes_in_flight.add(at_ns, -static_cast<double>(copy.bytes));
  parts_->model.rows.add(TransferRow{copy.begin_ns, at_ns, copy.bytes, copy.device_ns, copy.data,
                                     copy.thread, source_of(copy.nodes),
                                     destination_of(copy.nodes)});
  copy.lane->close(copy.slice, at_ns);
  copy = {};
  free_copies_.push_back(index);
}

void Transfers::allocate(int64_t at_ns, uint32_t node, const Payload& words) {
  parts_->counters.allocated(node, parts_->names.memory_node(node))
      .add(at_ns, static_cast<double>(words[1]));
}

void Transfers::free(int64_t at_ns, uint32_t node, const Payload& words) {
  parts_->counters.allocated(node, parts_->names.memory_node(node))
      .add(at_ns, -static_cast<double>(words[1]));
}

void Transfers::close_all(int64_t end_ns) {
  for (uint32_t i = 0; i < copies_.size(); ++i) {
    if (!copies_[i].is_open) continue;
    (*copies_[i].lane)[copies_[i].slice].arguments.add({"unfinished", true});
    close(i, end_ns);
  }
  open_by_thread_.clear();
}

}  // namespace perseid::starpu::decoding
