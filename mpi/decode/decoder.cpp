// mpi/decode/decoder.cpp: calls of MPI as they nest on each thread.
#include "mpi/decode/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/payload.h"
#include "mpi/decode/messages.h"
#include "mpi/events.h"

namespace perseid::mpi {
namespace {

using decoding::End;
using decoding::MessageTable;
using decoding::Receive;

constexpr Category kCategory{"mpi"};
constexpr Category kWaitCategory{"mpi.wait", SliceRole::kWait};  // calls that do nothing else
constexpr size_t kMaxNested = 64;  // deeper than any program goes: ends must be missing

constexpr auto kStartOne = static_cast<uint32_t>(Operation::kMPI_Start);
constexpr auto kBarrier = static_cast<uint32_t>(Operation::kMPI_Barrier);

constexpr bool is_receive(CallKind call_kind) {
  switch (call_kind) {
    case CallKind::kReceive:
    case CallKind::kPostReceive:
    case CallKind::kPersistentReceive:
    case CallKind::kReceiveMatched:
    case CallKind::kPostReceiveMatched:
      return true;
    default:
      return false;
  }
}

struct Call {
  uint32_t operation;
  Lane::Handle slice;
  Receive receive;
  int64_t begin_ns;
};

struct Calls {
  std::vector<Call> open;  // the innermost last
  uint64_t lost = 0;       // records of the thread, as far as they are dealt with
};

class MpiDecoder final : public Decoder {
 public:
  explicit MpiDecoder(Model& model) : model_(&model), messages_(model) {}

  void record(Thread& thread, int64_t at_ns, const RecordHeader& header,
              std::span<const uint64_t> given) override {
    const Payload words(given);
    is_used_ = true;
    switch (header.kind & 0xff) {
      case kInit:
        return show_init(thread, at_ns, header.arg, words);
      case kFinalizeBegin:
        messages_.flush(thread, at_ns);
        finalize_ = thread.lane.open(at_ns, "MPI_Finalize", kCategory);
        is_finalizing_ = true;
        return;
      case kFinalizeEnd:
        if (is_finalizing_) thread.lane.close(finalize_, at_ns);
        is_finalizing_ = false;
        return;
      case kCommunicator:
        return messages_.add_communicator(header.arg, given);
      case kBegin:
        return begin(thread, at_ns, header.arg, words);
      case kEnd:
      case kEndReceive:
      case kEndPost:
        return end(thread, at_ns, header, words);
      case kDone:
        return messages_.done(thread, at_ns, words[0], words.low(1), words.high(1), words[2]);
      case kStarted:
        return show_started(thread, at_ns, header.arg, words);
      case kMatched:
        return messages_.match(words[0], {words[1], words.low(2), words.high(2)});
      case kMoved:
        return messages_.move(words[0], words[1]);
      case kAbort: {
        const Argument code{"code", uint64_t{header.arg}};
        return thread.lane.add_instant(at_ns, "MPI_Abort", kCategory, {&code, 1});
      }
      default:
        return;
    }
  }

  void finish(int64_t end_ns) override {
    for (auto& [thread, calls] : calls_) close_all(*thread, calls, end_ns, "unfinished");
    if (!is_used_) return;
    const auto note = [this](const char* key, uint64_t value) {
      model_->notes.emplace_back(key, std::to_string(value), FactScope::kSum);
    };
    note("mpi_messages_sent", messages_.sent());
    note("mpi_messages_received", messages_.received());
    if (messages_.without_known_end() > 0)
      note("mpi_receives_without_known_end", messages_.without_known_end());
  }

 private:
  void show_init(Thread& thread, int64_t at_ns, uint32_t rank, const Payload& words) {
    messages_.set_rank(rank);
    const int64_t begin_ns = std::min(model_->timebase.to_ns(words[0]), at_ns);
    const auto version = words.low(2);
    const std::string_view text = version != 0 ? model_->strings.text(version) : std::string_view();
    const Argument arguments[] = {{"rank", uint64_t{rank}}, {"ranks", words[1]}, {"library", text}};
    thread.lane.add_finished(begin_ns, at_ns, "MPI_Init", kCategory, arguments);
    if (!text.empty()) model_->notes.emplace_back("mpi", std::string(text), FactScope::kRun);
  }

  void begin(Thread& thread, int64_t at_ns, uint32_t operation, const Payload& words) {
    if (operation >= std::size(kOperations) || words.size() < 3) return;
    Calls& calls = calls_of(thread, at_ns);
    if (calls.open.size() >= kMaxNested) close_all(thread, calls, at_ns, "lost");
    const OperationInfo& info = kOperations[operation];
    const bool is_matched = info.call_kind == CallKind::kReceiveMatched ||
                            info.call_kind == CallKind::kPostReceiveMatched;
    const Receive matched = is_matched ? messages_.take_matched(words[3]) : Receive{};
    const End end = is_matched ? matched.end : End{words[0], words.low(1), words.high(1)};
    const bool waits = info.call_kind == CallKind::kWait || operation == kBarrier;
    Call call{operation, thread.lane.open(at_ns, info.name, waits ? kWaitCategory : kCategory),
              matched, at_ns};
    OpenSlice& slice = thread.lane[call.slice];
    if (info.call_kind == CallKind::kWait || info.call_kind == CallKind::kStart) {
      if (end.communicator == 0) slice.arguments.add({"requests", words[2]});
    } else {
      add_arguments(slice.arguments, info.call_kind, end, words[2]);
    }
    const bool sends = info.call_kind == CallKind::kSend || info.call_kind == CallKind::kPostSend ||
                       info.call_kind == CallKind::kBoth;
    FlowEnd arrow;
    if (sends && messages_.send(thread, end, at_ns, words[2], arrow)) slice.flows.push_back(arrow);
    if (info.call_kind == CallKind::kReceive || info.call_kind == CallKind::kPostReceive) {
      call.receive = messages_.post(end);
    } else if (info.call_kind == CallKind::kBoth) {
      const uint64_t from = words[3];
      call.receive = messages_.post({words[0], low_half(from), high_half(from)});
    }
    if (calls.open.empty()) add_wait(thread, call, kNotYet);
    calls.open.push_back(call);
  }

  /// The outermost call of a thread: it does nothing else meanwhile.
  void add_wait(const Thread& thread, const Call& call, int64_t end_ns) {
    WaitRow row;
    row.begin_ns = call.begin_ns;
    row.end_ns = end_ns;
    row.thread = thread.id;
    row.name = model_->names.of_lasting(kOperations[call.operation].name);
    row.kind = WaitKind::kMpi;
    model_->rows.add(row);
  }

  /// One of a call's requests begins to send or to receive. A call for many shows each in itself.
  void show_started(Thread& thread, int64_t at_ns, uint32_t made_by, const Payload& words) {
    if (made_by >= std::size(kOperations) || words.size() < 4) return;
    const CallKind call_kind = kOperations[made_by].call_kind;
    const End end{words[0], words.low(1), words.high(1)};
    FlowEnd arrow;
    const bool has_arrow = call_kind == CallKind::kPersistentSend &&
                           messages_.send(thread, end, at_ns, words[2], arrow);
    if (call_kind == CallKind::kPersistentReceive)
      messages_.keep(thread, at_ns, words[3], messages_.post(end));
    Calls& calls = calls_of(thread, at_ns);
    if (!calls.open.empty() && calls.open.back().operation == kStartOne) {
      OpenSlice& slice = thread.lane[calls.open.back().slice];
      slice.arguments.add({"made_by", std::string_view(kOperations[made_by].name)});
      add_arguments(slice.arguments, call_kind, end, words[2]);
      if (has_arrow) slice.flows.push_back(arrow);
      return;
    }
    ArgumentList arguments;
    add_arguments(arguments, call_kind, end, words[2]);
    thread.lane.add_instant(at_ns, call_kind == CallKind::kPersistentSend ? "send" : "receive",
                            kCategory, arguments.items(),
                            {&arrow, has_arrow ? size_t{1} : size_t{0}});
  }

  void add_arguments(ArgumentList& arguments, CallKind call_kind, const End& end, uint64_t bytes) {
    const bool is_collective = call_kind == CallKind::kCollective;
    const char* const peer = is_collective ? "root" : is_receive(call_kind) ? "from" : "to";
    if (end.peer == kAnySource) {
      arguments.add({peer, std::string_view("any")});
    } else if (end.peer != kProcNull) {
      arguments.add({peer, uint64_t{messages_.world_rank(end.communicator, end.peer)}});
    } else if (!is_collective) {
      arguments.add({peer, std::string_view("nobody")});
    }
    if (end.tag != kAnyTag) {
      arguments.add({"tag", uint64_t{end.tag}});
    } else if (!is_collective) {
      arguments.add({"tag", std::string_view("any")});
    }
    if (bytes > 0 || !is_collective) arguments.add({"bytes", bytes});
    arguments.add({"communicator", messages_.communicator_name(end.communicator)});
  }

  void end(Thread& thread, int64_t at_ns, const RecordHeader& header, const Payload& words) {
    Calls& calls = calls_of(thread, at_ns);
    const auto found = std::find_if(calls.open.rbegin(), calls.open.rend(),
                                    [&](const Call& call) { return call.operation == header.arg; });
    if (found == calls.open.rend()) {
      ++model_->orphan_ends;
      return;
    }
    while (calls.open.back().operation != header.arg) close_innermost(thread, calls, at_ns, "lost");
    const Call call = calls.open.back();
    const auto event = static_cast<Event>(header.kind & 0xff);
    if (event == kEndReceive) {
      // Inside the slice: at its end the instant would be drawn outside of it.
      const int64_t inside_ns = std::max(call.begin_ns, at_ns - 1);
      messages_.arrive(thread, inside_ns, call.receive, words.low(0), words.high(0), words[1]);
    }
    thread.lane.close(call.slice, at_ns);
    calls.open.pop_back();
    if (calls.open.empty()) add_wait(thread, call, at_ns);
    const CallKind call_kind = kOperations[header.arg].call_kind;
    const bool posts_receive =
        call_kind == CallKind::kPostReceive || call_kind == CallKind::kPostReceiveMatched;
    if (event == kEndPost && posts_receive && words[0] != 0) {
      messages_.keep(thread, at_ns, words[0], call.receive);
    }
  }

  /// Where records were lost, ends may be among them, and it is unknown which.
  Calls& calls_of(Thread& thread, int64_t at_ns) {
    Calls& calls = calls_[&thread];
    if (calls.lost != thread.lost) {
      calls.lost = thread.lost;
      close_all(thread, calls, at_ns, "lost");
    }
    return calls;
  }

  void close_innermost(Thread& thread, Calls& calls, int64_t at_ns, std::string_view why) {
    thread.lane[calls.open.back().slice].arguments.add({"end", why});
    thread.lane.close(calls.open.back().slice, at_ns);
    if (calls.open.size() == 1) add_wait(thread, calls.open.back(), at_ns);
    calls.open.pop_back();
  }
  void close_all(Thread& thread, Calls& calls, int64_t at_ns, std::string_view why) {
    while (!calls.open.empty()) close_innermost(thread, calls, at_ns, why);
  }

  Model* model_;
  MessageTable messages_;
  std::unordered_map<Thread*, Calls> calls_;
  Lane::Handle finalize_ = 0;
  bool is_finalizing_ = false;
  bool is_used_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_decoder(Model& model) { return std::make_unique<MpiDecoder>(model); }

}  // namespace perseid::mpi
