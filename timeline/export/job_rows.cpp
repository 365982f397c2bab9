// timeline/export/job_rows.cpp: draws the group of rows that describes a job of several processes.
#include "timeline/export/job_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>

namespace perseid {
namespace {

/// ", 17 lost, 2 damages", or nothing.
std::string losses(const RunFacts& facts) {
  std::string text;
  for (const char* const key : {"lost", "damages"}) {
    const std::string_view count = fact_text(facts, key);
    if (!count.empty() && count != "0") text += fmt::format(", {} {}", count, key);
  }
  return text;
}

std::string plural(size_t count, std::string_view what, std::string_view ending) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : ending);
}

void write_slice(TraceSink& to, TrackId track, int64_t begin_ns, int64_t end_ns,
                 std::string_view name, const RunFacts& facts) {
  std::vector<Argument> arguments;
  for (const Fact& fact : facts) arguments.push_back({fact.key, std::string_view(fact.value)});
  Slice slice;
  slice.track = track;
  slice.begin_ns = begin_ns;
  slice.end_ns = end_ns;
  slice.is_instant = begin_ns == end_ns;
  slice.name = name;
  slice.set_category(kOwnCategory);
  slice.arguments = arguments;
  to.slice(slice);
}

}  // namespace

JobRows::JobRows(const Manifest& first) {
  const std::string_view path = first.get("exe");
  exe_ = path.substr(path.find_last_of('/') + 1);
  const std::string_view job = first.get("job");
  name_ = job.empty() ? kJobLaneName : fmt::format("{} {}", kJobLaneName, job);
  const std::string_view index = first.get("array_index");
  if (!index.empty()) name_ += fmt::format("_{}", index);
  if (!exe_.empty()) name_ += " · " + exe_;
  // That of the job in no other file: the session's number is random.
  identity_ = std::hash<std::string_view>{}(first.get("session")) ^
              std::hash<std::string_view>{}(name_) << 1;
}

Process JobRows::process() const {
  Process process;
  process.pid = kPid;
  process.name = name_;
  process.identity = identity_;
  return process;
}

void JobRows::add(const Member& member) {
  Row row;
  row.name = member.rank.is_known ? fmt::format("rank {}", member.rank.rank)
                                  : fmt::format("process {}", member.pid);
  if (!member.rank.host.empty()) row.name += " · " + member.rank.host;
  row.slice = exe_.empty() ? row.name : exe_;
  const std::string_view end = fact_text(member.facts, "end");
  if (!end.empty() && end != "finished") {
    row.slice += fmt::format(", {}", end);
    ++unfinished_;
  }
  row.slice += losses(member.facts);
  // What is the same for all is in the job's own row.
  std::ranges::copy_if(member.facts, std::back_inserter(row.facts),
                       [](const Fact& fact) { return fact.scope != FactScope::kRun; });
  row.begin_ns = member.begin_ns;
  row.end_ns = std::max(member.begin_ns, member.end_ns);
  rows_.push_back(std::move(row));
  hosts_.insert(member.rank.host);
  has_ranks_ = has_ranks_ || member.rank.is_known;
}

std::string JobRows::title(const RunFacts& facts) const {
  std::string text = exe_.empty() ? "" : exe_ + ": ";
  text += has_ranks_ ? plural(rows_.size(), "rank", "s") : plural(rows_.size(), "process", "es");
  text += " on " + plural(hosts_.size(), "host", "s");
  if (unfinished_ > 0) text += fmt::format(", {} not finished", unfinished_);
  return text + losses(facts);
}

void JobRows::write(TraceSink& to, TrackId first_track, const RunFacts& facts) const {
  if (rows_.empty()) return;
  Track track;
  track.id = first_track;
  track.kind = TrackKind::kLane;
  track.group = TrackGroup::kSummary;
  track.pid = kPid;
  track.name = kJobLaneName;
  to.track(track);
  const int64_t begin_ns = std::ranges::min(rows_, {}, &Row::begin_ns).begin_ns;
  const int64_t end_ns = std::ranges::max(rows_, {}, &Row::end_ns).end_ns;
  write_slice(to, track.id, begin_ns, end_ns, title(facts), facts);

  track.group = TrackGroup::kThreads;
  for (const Row& row : rows_) {
    ++track.id;
    track.order = track.id - first_track;
    track.name = row.name;
    to.track(track);
    write_slice(to, track.id, row.begin_ns, row.end_ns, row.slice, row.facts);
  }
}

}  // namespace perseid
