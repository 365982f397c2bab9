// annotations/record/annotations.cpp: the functions that perseid.h calls, on the threads of the
// program.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "annotations/events.h"
#include "include/perseid.h"
#include "plugin/record/emit.h"
#include "plugin/session/connect.h"
#include "plugin/session/session.h"
#include "plugin/session/unrecorded.h"
#include "plugin/settings/fixed_text.h"

namespace perseid {
namespace annotations {
namespace {

uint32_t intern(const char* text) noexcept {
  if (!text) text = "(null)";
  return session().names.intern(text, std::strlen(text));
}

/// Arguments measured first and written later, so that the ring is asked once for the right size.
class ArgumentWriter {
 public:
  ArgumentWriter(size_t first_words, const perseid_arg* args, size_t count) noexcept
      : args_(args), words_(first_words) {
    if (!args) return;
    const size_t most = std::min(count, kMaxArguments);
    is_cut_ = most < count;
    while (kept_ < most && fits(args[kept_])) ++kept_;
    is_cut_ = is_cut_ || kept_ < most;
  }

  size_t words() const noexcept { return words_; }
  uint8_t flags() const noexcept { return static_cast<uint8_t>(is_cut_ ? kRecordTruncated : 0); }

  void write(std::byte* at) const noexcept {
    const Unwatched unwatched;
    for (size_t i = 0; i < kept_; ++i) {
      const perseid_arg& arg = args_[i];
      const auto type = static_cast<ArgType>(arg.type);
      const uint64_t head = arg_word(keys_[i], type, text_bytes_[i]);
      std::memcpy(at, &head, 8);
      at += 8;
      if (type == ArgType::kText) {
        const size_t padded = (size_t{text_bytes_[i]} + 7) / 8 * 8;
        if (padded) std::memset(at + padded - 8, 0, 8);
        if (padded) std::memcpy(at, text_of(arg), text_bytes_[i]);
        at += padded;
      } else {
        std::memcpy(at, &arg.value, 8);
        at += 8;
      }
    }
  }

 private:
  static constexpr size_t kMaxArguments = 32;

  /// No text is shown as such. An empty std::string_view has no text either, but a length.
  static const char* text_of(const perseid_arg& arg) noexcept {
    if (arg.value.text_value) return arg.value.text_value;
    return arg.text_bytes == 0 ? "" : "(null)";
  }

  bool fits(const perseid_arg& arg) noexcept {
    const size_t room = kMaxRecordWords - words_;
    if (room < 2 || arg.type < PERSEID_INT || arg.type > PERSEID_TEXT) return false;
    keys_[kept_] = intern(arg.key);
    text_bytes_[kept_] = 0;
    size_t words = 2;
    if (arg.type == PERSEID_TEXT) {
      const char* text = text_of(arg);
      size_t bytes =
          arg.value.text_value && arg.text_bytes != UINT32_MAX ? arg.text_bytes : std::strlen(text);
      const size_t most = 8 * (room - 1);
      is_cut_ = is_cut_ || bytes > most;
      bytes = std::min(bytes, most);
      text_bytes_[kept_] = static_cast<uint32_t>(bytes);
      words = 1 + (bytes + 7) / 8;
    }
    words_ += words;
    return true;
  }

  const perseid_arg* args_;
  size_t words_;
  size_t kept_ = 0;
  bool is_cut_ = false;
  uint32_t keys_[kMaxArguments];
  uint32_t text_bytes_[kMaxArguments];
};

/// A record with arguments after `first...`. True if it is in the ring.
template <class... Words>
bool emit_with(Event event, uint32_t arg, const perseid_arg* args, size_t count,
               Words... first) noexcept {
  constexpr size_t kFirst = sizeof...(first);
  const ArgumentWriter writer(kFirst, args, count);
  const size_t bytes = sizeof(RecordHeader) + 8 * writer.words();
  std::byte* at = room_for(bytes);
  if (!at) return false;
  Ring::write_record(at, kind(event), arg, first...);
  if (count > 0) {
    const uint8_t tail[] = {static_cast<uint8_t>(writer.words()), writer.flags()};
    std::memcpy(at + offsetof(RecordHeader, words), tail, sizeof tail);
    writer.write(at + sizeof(RecordHeader) + 8 * kFirst);
  }
  t_ring->commit(bytes);
  return true;
}

/// True if the calling thread may record now: it has a ring, and is not inside Perseid already.
bool may_record(const InsideGuard& guard) noexcept {
  if (!guard) {
    count_nested();
    return false;
  }
  return t_ring || join_session();
}

void begin(const char* name, const perseid_arg* args, size_t count) noexcept {
  if (!is_recording()) {
    // Ranges are counted while recording is paused: the ends to come must find their begins.
    if (Ring* ring = t_ring) {
      ring->open_gap(0);
      ring->enter_range();
    }
    return;
  }
  const InsideGuard guard;
  if (!may_record(guard)) return;
  emit_with(kBegin, intern(name), args, count);
  t_ring->enter_range();
}

void end(const perseid_arg* args, size_t count) noexcept {
  Ring* ring = t_ring;
  if (!ring || ring->depth() == 0) return;
  if (!is_recording()) {
    ring->open_gap(0);
    ring->leave_range();
    return;
  }
  const InsideGuard guard;
  if (!may_record(guard)) return;
  emit_with(kEnd, ring->depth() - 1, args, count);
  ring->leave_range();
}

void instant(const char* name, const perseid_arg* args, size_t count) noexcept {
  if (!is_recording()) return;
  const InsideGuard guard;
  if (may_record(guard)) emit_with(kInstant, intern(name), args, count);
}

void counter(const char* name, double value) noexcept {
  if (!is_recording() || !std::isfinite(value)) return;
  const InsideGuard guard;
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (may_record(guard)) emit_with(kCounter, intern(name), nullptr, 0, bits);
}

void flow_out(uint64_t id) noexcept { emit(kind(kFlowOut), 0, id); }
void flow_in(uint64_t id) noexcept { emit(kind(kFlowIn), 0, id); }

void name_thread(const char* name) noexcept {
  if (!is_recording()) return;
  const InsideGuard guard;
  if (!may_record(guard)) return;
  const uint32_t id = intern(name);
  t_ring->set_name(id, true);
  emit_with(kThreadName, id, nullptr, 0);
}

/// A lane is its name: the id of the text is the id of the lane.
perseid_lane lane(const char* name) noexcept {
  if (!is_recording()) return 0;
  const InsideGuard guard;
  return may_record(guard) ? intern(name) : 0;
}

perseid_lane_slice lane_begin(perseid_lane lane, const char* name, const perseid_arg* args,
                              size_t count) noexcept {
  if (!is_recording() || lane == 0) return 0;
  const InsideGuard guard;
  if (!may_record(guard)) return 0;
  const uint64_t slice = t_ring->next_slice_id();
  return emit_with(kLaneBegin, intern(name), args, count, lane, slice) ? slice : 0;
}

void lane_end(perseid_lane lane, perseid_lane_slice slice, const perseid_arg* args,
              size_t count) noexcept {
  if (!is_recording() || lane == 0 || slice == 0) return;
  const InsideGuard guard;
  if (may_record(guard)) emit_with(kLaneEnd, 0, args, count, lane, slice);
}

void phase(const char* name) noexcept {
  if (!is_recording()) return;
  const InsideGuard guard;
  if (may_record(guard)) emit_with(kPhase, name ? intern(name) : 0, nullptr, 0);
}

void pause() noexcept {
  // A session that has not begun has nothing to show a pause in.
  if (session().state.load() == SessionState::kOn) emit(kind(kPause), 0);
  pause_recording();
}

void resume() noexcept {
  if (resume_recording() && session().state.load() == SessionState::kOn) emit(kind(kResume), 0);
}

constexpr perseid_api kApi{
    sizeof(perseid_api), begin, end,        instant,  counter, flow_out, flow_in,
    name_thread,         lane,  lane_begin, lane_end, phase,   pause,    resume};

}  // namespace

void explain(bool has_recorded) noexcept {
  if (has_recorded || !has_annotations()) return;
  Line line;
  line << ProgramName().text << " made no perseid.h call";
  report_unrecorded(Unrecorded::kIdle, line.c_str());
}

}  // namespace annotations

const perseid_api* annotation_api() noexcept { return &annotations::kApi; }

}  // namespace perseid
