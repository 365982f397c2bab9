// tests/stream/starpu/starpu_capture.cpp: writes StarPU's records, word by word.
#include "tests/stream/starpu/starpu_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "timeline/walk/decoder.h"

namespace perseid::test {
namespace {

uint32_t bits(int32_t value) { return static_cast<uint32_t>(value); }

/// A line of RecordingSink, taken apart.
struct Line {
  std::string track;
  std::string when;
  std::string name;
  std::string arguments;
  std::string flows;
};

Line take_apart(const std::string& line) {
  Line parts;
  const size_t colon = line.find(": ");
  parts.track = line.substr(0, colon);
  std::string rest = line.substr(colon + 2);
  const size_t space = rest.find(' ');
  parts.when = rest.substr(0, space);
  rest = space == std::string::npos ? "" : rest.substr(space + 1);
  const size_t open = rest.find(" {");
  const size_t close = rest.rfind('}');
  if (open != std::string::npos && close != std::string::npos) {
    parts.arguments = rest.substr(open + 2, close - open - 2);
    rest.erase(open, close - open + 1);
  }
  size_t arrow = std::min(rest.find(" ->"), rest.find(" <-"));
  arrow = std::min(arrow, rest.size());
  parts.name = rest.substr(0, arrow);
  parts.flows = rest.substr(arrow);
  return parts;
}

}  // namespace

StarpuThread& StarpuThread::record(int64_t at_ns, events::Event event, uint32_t arg,
                                   const Words& words) {
  stream_->record(at_ns, events::kind(event), arg, words);
  return *this;
}
StarpuThread& StarpuThread::named(int64_t at_ns, events::Event event, std::string_view name,
                                  const Words& words) {
  return record(at_ns, event, name.empty() ? 0 : capture_->string(name), words);
}

StarpuThread& StarpuThread::submit(int64_t at_ns, uint64_t task, const Submitted& what) {
  Words words = {task,
                 what.codelet,
                 events::halves(bits(what.priority), what.context),
                 events::halves(what.flags, bits(-1)),
                 what.tag,
                 std::bit_cast<uint64_t>(what.flops)};
  for (const Use& use : what.uses) {
    words.push_back(use.handle);
    words.push_back(events::access_word(use.mode, use.bytes));
  }
  return named(at_ns, events::kSubmit, what.name, words);
}
StarpuThread& StarpuThread::submit_end(int64_t at_ns, uint64_t task, int32_t result) {
  return record(at_ns, events::kSubmitEnd, bits(result), {task});
}
StarpuThread& StarpuThread::submit_at(int64_t at_ns, uint64_t task, const Submitted& what) {
  return submit(at_ns, task, what).submit_end(at_ns + 10, task);
}
StarpuThread& StarpuThread::wait(int64_t at_ns, events::WaitKind kind, uint64_t what,
                                 uint64_t mode) {
  return record(at_ns, events::kWaitBegin, static_cast<uint32_t>(kind), {what, mode});
}
StarpuThread& StarpuThread::wait_end(int64_t at_ns, events::WaitKind kind, int32_t result) {
  return record(at_ns, events::kWaitEnd, static_cast<uint32_t>(kind), {bits(result)});
}
StarpuThread& StarpuThread::push(int64_t at_ns, uint64_t task, uint32_t context) {
  return record(at_ns, events::kPush, context, {task});
}
StarpuThread& StarpuThread::push_end(int64_t at_ns, uint64_t task) {
  return record(at_ns, events::kPushEnd, 0, {task});
}
StarpuThread& StarpuThread::pop(int64_t at_ns, uint32_t worker, uint64_t task) {
  return record(at_ns, events::kPop, worker, {task, 0});
}
StarpuThread& StarpuThread::pre_exec(int64_t at_ns, uint32_t worker, uint64_t task) {
  return record(at_ns, events::kPreExec, worker, {task, 0});
}
StarpuThread& StarpuThread::exec(int64_t at_ns, uint32_t worker, uint64_t task,
                                 const Executed& how) {
  return record(at_ns, events::kExecBegin, worker,
                {task, how.function, events::halves(how.implementation, how.flags),
                 events::halves(bits(how.combined_worker), how.size),
                 std::bit_cast<uint64_t>(how.predicted_us),
                 std::bit_cast<uint64_t>(how.predicted_transfer_us), how.footprint});
}
StarpuThread& StarpuThread::exec_end(int64_t at_ns, uint32_t worker, uint64_t task) {
  return record(at_ns, events::kExecEnd, worker, {task});
}
StarpuThread& StarpuThread::post_exec(int64_t at_ns, uint32_t worker, uint64_t task) {
  return record(at_ns, events::kPostExec, worker, {task, 0});
}
StarpuThread& StarpuThread::clean(int64_t at_ns, uint64_t task) {
  return record(at_ns, events::kTaskClean, 0, {task});
}

StarpuCapture::StarpuCapture(uint32_t workers, std::string_view policy) {
  main_ = &thread("main");
  start(10, workers, policy);
}

void StarpuCapture::start(int64_t at_ns, uint32_t workers, std::string_view policy) {
  constexpr uint64_t kVersion = 1 | 3 << 16 | uint64_t{10} << 32;
  constexpr uint64_t kAll = events::kSeesTasks | events::kSeesFields | events::kSeesExecution |
                            events::kSeesScheduling | events::kSeesCallbacks;
  main_->record(at_ns, events::kInitBegin, 0)
      .record(at_ns + 10, events::kInitEnd, 0, {events::halves(workers, 1)})
      .named(at_ns + 10, events::kRuntime, "/usr/lib/libstarpu-1.3.so.9", {kVersion, kAll, 1})
      .named(at_ns + 10, events::kCodelet, "codelet", {0xc0de, 0, 1});
  Words context = {string(policy)};
  workers_.clear();
  for (uint32_t i = 0; i < workers; ++i) {
    main_->record(at_ns + 10, events::kWorker, i,
                  {events::halves(string(fmt::format("CPU {}", i)), 0), 0, i});
    workers_.push_back(&thread(fmt::format("starpu {}", i)));
    workers_.back()->record(at_ns + 10, events::kWorkerThread, i);
    context.push_back(i);
  }
  main_->record(at_ns + 10, events::kMemoryNode, 0, {string("NUMA 0"), 0, 0})
      .record(at_ns + 10, events::kContext, 0, context);
}

StarpuThread& StarpuCapture::thread(std::string_view name) {
  ++streams_;
  threads_.emplace_back(capture, capture.stream(streams_, 4241 + streams_, name));
  return threads_.back();
}

Reading StarpuCapture::read(uint64_t dependency_arrows) {
  capture.write();
  Reading reading;
  Result<std::unique_ptr<Capture>> opened = Capture::open(capture.path(), known_kinds());
  if (!opened) {
    reading.error = opened.error();
    return reading;
  }
  reading.report =
      walk(**opened, reading.sink, {.progress = {}, .dependency_arrows = dependency_arrows});
  return reading;
}

Lines shown_on(const Reading& reading, std::string_view track) {
  Lines found;
  for (const std::string& line : reading.sink.lines) {
    const Line parts = take_apart(line);
    if (parts.track == track) found.push_back(parts.when + " " + parts.name + parts.flows);
  }
  return found;
}

std::string argument_of(const Reading& reading, std::string_view name, std::string_view key) {
  for (const std::string& line : reading.sink.lines) {
    const Line parts = take_apart(line);
    if (parts.name != name) continue;
    const std::string all = ", " + parts.arguments + ", ";
    const std::string wanted = fmt::format(", {}=", key);
    const size_t at = all.find(wanted);
    if (at == std::string::npos) return "";
    const size_t begin = at + wanted.size();
    return all.substr(begin, all.find(", ", begin) - begin);
  }
  return "";
}

Lines arrows(const Reading& reading) {
  std::map<std::string, std::string> sources;
  std::vector<std::pair<std::string, std::string>> targets;
  for (const std::string& line : reading.sink.lines) {
    const Line parts = take_apart(line);
    std::string_view rest = parts.flows;
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find(' ', 1));
      rest.remove_prefix(one.size());
      const std::string id(one.substr(3));
      if (one.starts_with(" ->")) {
        sources[id] += parts.name;  // two sources of one id would show as one odd name
      } else {
        targets.emplace_back(id, parts.name);
      }
    }
  }
  Lines found;
  for (const auto& [id, name] : targets) {
    const auto source = sources.find(id);
    found.push_back((source != sources.end() ? source->second : "NOTHING") + " > " + name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

Lines samples(const Reading& reading, std::string_view counter) {
  Lines found;
  for (const std::string& line : reading.sink.lines) {
    if (line.starts_with(std::string(counter) + ": "))
      found.push_back(line.substr(counter.size() + 2));
  }
  return found;
}

}  // namespace perseid::test
