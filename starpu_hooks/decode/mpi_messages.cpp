// starpu_hooks/decode/mpi_messages.cpp: draws StarPU-MPI's messages, and arrows between ranks.
#include "starpu_hooks/decode/mpi_messages.h"

#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {
namespace {

constexpr Category kCategory{"message", SliceRole::kTransfer};
constexpr uint64_t kWorld = 1;

}  // namespace

Lane& MpiMessages::lane(bool is_receive) {
  std::optional<Lane>& made = lanes_[is_receive ? 1 : 0];
  if (!made) {
    made.emplace(parts_->model.add_row(is_receive ? "StarPU-MPI receives" : "StarPU-MPI sends",
                                       TrackGroup::kLanes));
  }
  return *made;
}

void MpiMessages::post(Thread& thread, int64_t at_ns, uint32_t flags, const Payload& words) {
  Message message;
  message.is_receive = (flags & kMpiReceives) != 0;
  message.peer = low_half(words[2]);
  message.tag = static_cast<int64_t>(words[3]);
  message.bytes = words[4];
  message.data = parts_->data.name(words[1]);
  const uint32_t own = high_half(words[2]);
  const Channel channel{MessageLayer::kStarpuMpi, words[6], message.is_receive ? message.peer : own,
                        message.is_receive ? own : message.peer, message.tag};
  const auto priority = static_cast<int64_t>(static_cast<int32_t>(words[5]));
  const Argument arguments[] = {{"data", std::string_view(message.data)},
                                {message.is_receive ? "from" : "to", uint64_t{message.peer}},
                                {"tag", message.tag},
                                {"bytes", message.bytes},
                                {"priority", priority},
                                {"world", words[6] == kWorld}};
  if (message.is_receive) {
    message.arrow = parts_->model.messages.expect(channel);
    thread.lane.add_instant(at_ns, "post receive", kCategory, arguments);
  } else {
    ++sent_;
    const FlowEnd arrow = parts_->model.messages.send(channel, at_ns, at_ns);
    message.arrow = arrow.id;
    thread.lane.add_instant(at_ns, "post send", kCategory, arguments, {&arrow, 1});
  }
  message.posted_ns = at_ns;
  message.task = thread.tasks.current_id();
  add_row(message, thread, kNotYet);
  Lane& row = lane(message.is_receive);
  if (row.open_count() < kMaxRows) {
    const std::string_view kind = message.is_receive ? "receive" : "send";
    message.bar = row.open_beside(at_ns, kind, kCategory);
    for (const Argument& argument : arguments) row[*message.bar].arguments.append(argument);
  }
  open_.insert_or_assign(words[0], std::move(message));
}

void MpiMessages::request(const Payload& words) { requests_[words[1]] = words[0]; }

void MpiMessages::done(Thread& thread, int64_t at_ns, uint32_t flags, const Payload& words) {
  uint64_t id = words[0];
  if ((flags & kMpiByRequest) != 0) {
    const auto known = requests_.find(id);
    if (known == requests_.end()) return;
    id = known->second;
    requests_.erase(known);
  } else if ((flags & kMpiInCallback) != 0 && progress_thread_ != &thread &&
             parts_->workers.of(thread) == nullptr) {
    progress_thread_ = &thread;
    parts_->model.threads.rename(thread, "StarPU-MPI");
  }
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  const Message& message = found->second;
  if (message.bar) lane(message.is_receive).close(*message.bar, at_ns);
  const Argument arguments[] = {{"data", std::string_view(message.data)},
                                {message.is_receive ? "from" : "to", uint64_t{message.peer}},
                                {"tag", message.tag},
                                {"bytes", message.bytes}};
  if (message.is_receive) {
    ++received_;
    const FlowEnd arrow = Messages::arrive(message.arrow, at_ns);
    thread.lane.add_instant(at_ns, "received", kCategory, arguments, {&arrow, 1});
  } else {
    thread.lane.add_instant(at_ns, "sent", kCategory, arguments);
  }
  add_row(message, thread, at_ns);
  open_.erase(found);
}

void MpiMessages::add_row(const Message& message, const Thread& thread, int64_t end_ns) {
  parts_->model.rows.add(MessageRow{message.posted_ns, end_ns, message.arrow, message.bytes,
                                    message.task, thread.id, message.peer, message.is_receive});
}

void MpiMessages::finish(int64_t end_ns) {
  for (auto& lane : lanes_) {
    if (!lane) continue;
    lane->close_all(end_ns, [&](Lane::Handle handle) {
      (*lane)[handle].arguments.add({"unfinished", true});
    });
  }
  if (sent_ + received_ == 0) return;
  parts_->model.notes.emplace_back("starpu_mpi_sent", std::to_string(sent_), FactScope::kSum);
  parts_->model.notes.emplace_back("starpu_mpi_received", std::to_string(received_),
                                   FactScope::kSum);
}

}  // namespace perseid::starpu::decoding
