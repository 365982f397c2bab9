// mpi/decode/messages.cpp: counts messages per channel, so that both ends compute the same id.
#include "mpi/decode/messages.h"

#include <fmt/format.h>

#include <iterator>

#include "capture/payload.h"

namespace perseid::mpi::decoding {
namespace {

constexpr uint64_t kWorld = 1;
constexpr Category kCategory{"message", SliceRole::kTransfer};

}  // namespace

void MessageTable::add_communicator(uint32_t size, std::span<const uint64_t> words) {
  if (words.size() < 2) return;
  Communicator& communicator = communicators_[words[0]];
  communicator.rank = low_half(words[1]);
  communicator.size = size;
  if (words[0] == kWorld) return;  // its ranks are its members
  std::vector<uint32_t>& members = communicator.members[high_half(words[1])];
  members.clear();
  for (const uint64_t pair : words.subspan(2)) {
    for (const uint32_t rank : {low_half(pair), high_half(pair)}) members.push_back(rank);
  }
}

uint32_t MessageTable::own_rank(uint64_t communicator) const {
  const auto found = communicators_.find(communicator);
  if (found != communicators_.end()) return found->second.rank;
  return communicator == kWorld ? world_rank_ : kProcNull;
}

uint32_t MessageTable::world_rank(uint64_t communicator, uint32_t rank) const {
  const auto found = communicators_.find(communicator);
  if (found == communicators_.end() || communicator == kWorld || rank >= found->second.size) {
    return rank;
  }
  const auto after = found->second.members.upper_bound(rank);
  if (after == found->second.members.begin()) return kProcNull;
  const auto& [first, ranks] = *std::prev(after);
  return rank - first < ranks.size() ? ranks[rank - first] : kProcNull;
}

std::string MessageTable::communicator_name(uint64_t communicator) const {
  if (communicator == kWorld) return "MPI_COMM_WORLD";
  const auto found = communicators_.find(communicator);
  const uint32_t size = found == communicators_.end() ? 0 : found->second.size;
  return fmt::format("{:04x} of {} ranks", communicator >> 48, size);
}

bool MessageTable::send(const Thread& thread, const End& end, int64_t begin_ns, uint64_t bytes,
                        FlowEnd& arrow) {
  if (end.peer == kProcNull) return false;
  ++sent_;
  const Channel channel{MessageLayer::kMpi, end.communicator, own_rank(end.communicator), end.peer,
                        static_cast<int32_t>(end.tag)};
  arrow = model_->messages.send(channel, begin_ns, begin_ns);
  add_row(thread, begin_ns, arrow.id, bytes, world_rank(end.communicator, end.peer), false);
  return true;
}

/// MPI does not report when a message is on its way: a send is its call, a receive its end.
void MessageTable::add_row(const Thread& thread, int64_t at_ns, uint64_t id, uint64_t bytes,
                           uint32_t peer, bool is_receive) {
  model_->rows.add(
      MessageRow{at_ns, at_ns, id, bytes, thread.tasks.current_id(), thread.id, peer, is_receive});
}

Receive MessageTable::post(const End& end) {
  Receive receive{end};
  if (end.peer == kProcNull || end.peer == kAnySource || end.tag == kAnyTag) return receive;
  receive.arrow =
      model_->messages.expect({MessageLayer::kMpi, end.communicator, end.peer,
                               own_rank(end.communicator), static_cast<int32_t>(end.tag)});
  return receive;
}

void MessageTable::arrive(Thread& thread, int64_t at_ns, const Receive& receive, uint32_t source,
                          uint32_t tag, uint64_t bytes) {
  if (receive.end.peer == kProcNull) return;
  uint64_t arrow = receive.arrow;
  if (arrow == 0) {
    if (source == kProcNull || source == kAnySource || tag == kAnyTag) {
      ++receives_without_status_;
      return;
    }
    arrow =
        model_->messages.expect({MessageLayer::kMpi, receive.end.communicator, source,
                                 own_rank(receive.end.communicator), static_cast<int32_t>(tag)});
  }
  ++received_;
  const uint32_t from = receive.arrow != 0 ? receive.end.peer : source;
  const uint32_t shown_tag = receive.arrow != 0 ? receive.end.tag : tag;
  const Argument arguments[] = {{"from", uint64_t{world_rank(receive.end.communicator, from)}},
                                {"tag", uint64_t{shown_tag}},
                                {"bytes", bytes}};
  add_row(thread, at_ns, arrow, bytes, world_rank(receive.end.communicator, from), true);
  const FlowEnd end = Messages::arrive(arrow, at_ns);
  thread.lane.add_instant(at_ns, "received", kCategory, arguments, {&end, 1});
}

void MessageTable::keep(Thread& thread, int64_t at_ns, uint64_t request, const Receive& receive) {
  const auto [place, is_new] = waiting_.try_emplace(request, receive);
  if (is_new) return;
  complete_untracked(thread, at_ns, place->second);
  place->second = receive;
}

void MessageTable::done(Thread& thread, int64_t at_ns, uint64_t request, uint32_t source,
                        uint32_t tag, uint64_t bytes) {
  const auto found = waiting_.find(request);
  if (found == waiting_.end()) return;  // a send, or a collective operation
  const Receive receive = found->second;
  waiting_.erase(found);
  // The empty status: MPI_Test saw the end of a persistent request before.
  if (source == kAnySource && tag == kAnyTag) return complete_untracked(thread, at_ns, receive);
  arrive(thread, at_ns, receive, source, tag, bytes);
}

void MessageTable::match(uint64_t message, const End& end) { matched_[message] = post(end); }

Receive MessageTable::take_matched(uint64_t message) {
  const auto node = matched_.extract(message);
  return node.empty() ? Receive{} : node.mapped();
}

void MessageTable::move(uint64_t request, uint64_t now) {
  auto node = waiting_.extract(request);
  if (node.empty()) return;
  node.key() = now;
  waiting_.insert(std::move(node));
}

void MessageTable::complete_untracked(Thread& thread, int64_t at_ns, const Receive& receive) {
  if (receive.arrow == 0) {
    if (receive.end.peer != kProcNull) ++receives_without_status_;
    return;
  }
  ++received_;
  add_row(thread, at_ns, receive.arrow, 0, world_rank(receive.end.communicator, receive.end.peer),
          true);
  const Argument arguments[] = {
      {"from", uint64_t{world_rank(receive.end.communicator, receive.end.peer)}},
      {"tag", uint64_t{receive.end.tag}},
      {"seen", std::string_view("late: the program asked with MPI_Test")}};
  const FlowEnd end = Messages::arrive(receive.arrow, at_ns);
  thread.lane.add_instant(at_ns, "received", kCategory, arguments, {&end, 1});
}

void MessageTable::flush(Thread& thread, int64_t at_ns) {
  for (const auto& [request, receive] : waiting_) complete_untracked(thread, at_ns, receive);
  waiting_.clear();
}

}  // namespace perseid::mpi::decoding
