// tests/run/starpu/starpu_trace.cpp: reads with the capture reader and sorts by time.
#include "tests/run/starpu/starpu_trace.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "capture/reader.h"
#include "timeline/walk/decoder.h"
#include "timeline/walk/stream_merge.h"

namespace perseid::starpu {

namespace {

const char* name_of(Event event) {
  for (const EventInfo& info : kEvents)
    if (info.index == event) return info.name;
  return "unknown";
}

/// Events whose argument is a string id.
bool is_named(Event event) {
  return event == kSubmit || event == kCodelet || event == kFunction || event == kDataName ||
         event == kUserText || event == kRuntime;
}

/// The begin that an end of this kind closes; 0 for events that close nothing.
Event begin_of(Event end) {
  switch (end) {
    case kSubmitEnd:
      return kSubmit;
    case kWaitEnd:
      return kWaitBegin;
    case kPushEnd:
      return kPush;
    case kExecEnd:
      return kExecBegin;
    case kCallbackEnd:
      return kCallbackBegin;
    case kCopyEnd:
      return kCopyBegin;
    default:
      return Event{};
  }
}

bool is_begin(Event event) {
  return event == kSubmit || event == kWaitBegin || event == kPush || event == kExecBegin ||
         event == kCallbackBegin || event == kCopyBegin;
}

}  // namespace

size_t StarpuTrace::count(Event event) const {
  return static_cast<size_t>(
      std::ranges::count_if(records, [event](const TraceRecord& r) { return r.event == event; }));
}

std::vector<TraceRecord> StarpuTrace::all(Event event) const {
  std::vector<TraceRecord> found;
  std::ranges::copy_if(records, std::back_inserter(found),
                       [event](const TraceRecord& r) { return r.event == event; });
  return found;
}

std::string StarpuTrace::text(uint32_t id) const {
  const auto found = texts.find(id);
  return found == texts.end() ? std::string() : found->second;
}

std::string StarpuTrace::describe() const {
  std::map<Event, size_t> counts;
  for (const TraceRecord& record : records) ++counts[record.event];
  std::string sentence;
  for (const auto& [event, number] : counts)
    sentence += std::string(name_of(event)) + ' ' + std::to_string(number) + ", ";
  for (const std::string& damage : damages) sentence += "damage: " + damage + ", ";
  return sentence + "lost " + std::to_string(lost) + ", nested " + std::to_string(nested);
}

std::string StarpuTrace::find_broken_life() const {
  std::map<size_t, std::vector<Event>> open;  // by stream
  std::map<uint32_t, uint64_t> running;       // task by worker
  std::set<uint64_t> submitted;
  for (const TraceRecord& record : records) {
    const std::string where = std::string(name_of(record.event)) + " on stream " +
                              std::to_string(record.stream) + " at " + std::to_string(record.ticks);
    if (is_begin(record.event)) open[record.stream].push_back(record.event);
    if (const Event begin = begin_of(record.event); begin != Event{}) {
      auto& stack = open[record.stream];
      if (stack.empty() || stack.back() != begin) return where + " closes nothing";
      stack.pop_back();
    }
    if (record.event == kSubmit) submitted.insert(record.words.at(0));
    if (record.event == kExecBegin) {
      if (!submitted.contains(record.words.at(0))) return where + ": task was never submitted";
      if (running.contains(record.arg)) return where + ": worker is at work already";
      running[record.arg] = record.words.at(0);
    }
    if (record.event == kExecEnd) {
      if (!running.contains(record.arg) || running[record.arg] != record.words.at(0))
        return where + ": worker is not at this task";
      running.erase(record.arg);
    }
  }
  for (const auto& [stream, stack] : open)
    if (!stack.empty())
      return std::string(name_of(stack.back())) + " on stream " + std::to_string(stream) +
             " has no end";
  return "";
}

StarpuTrace read_starpu_trace(const std::string& path) {
  auto opened = Capture::open(path, known_kinds());
  if (!opened) throw std::runtime_error(opened.error());
  Capture& capture = **opened;
  StarpuTrace trace;
  Merge merge(capture);
  while (merge.next()) {
    if (merge.is_hole()) continue;
    const RecordHeader& header = merge.record();
    if (header.kind >> 8 != static_cast<uint16_t>(ProducerId::kStarpu)) continue;
    const auto event = static_cast<Event>(header.kind & 0xff);
    trace.records.push_back({merge.ticks(),
                             merge.stream(),
                             event,
                             header.arg,
                             {merge.words().begin(), merge.words().end()}});
    const auto note = [&](uint32_t id) {
      if (id) trace.texts[id] = capture.strings().text(id);
    };
    if (is_named(event)) note(header.arg);
    if (event == kWorker || event == kMemoryNode || event == kContext)
      note(low_half(trace.records.back().words.at(0)));
  }
  for (const Damage& damage : capture.damages().items()) trace.damages.push_back(damage.text);
  trace.lost = capture.state().lost_without_ring;
  trace.nested = capture.state().nested;
  return trace;
}

}  // namespace perseid::starpu
