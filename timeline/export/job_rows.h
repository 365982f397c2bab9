// timeline/export/job_rows.h: the first group of a timeline of several processes: the job they
// belong to.
//
//   Job 4711 · solver
//     Job                 solver: 4 ranks on 2 hosts, 17 lost       one slice, the job's facts
//     rank 0 · node16     solver                                    from its begin to its end
//     rank 1 · node17     solver, killed, 17 lost
//
// No reader can put a process below something else, so the job is drawn above its processes.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "timeline/drawing/sink.h"
#include "timeline/walk/job.h"

namespace perseid {

/// The row of a job whose slice carries the facts of all its processes.
inline constexpr const char* kJobLaneName = "Job";

class JobRows {
 public:
  /// No process of a capture may have it.
  static constexpr uint32_t kPid = 1;

  /// `first`: the manifest of one of its captures; they agree in what is asked of it.
  explicit JobRows(const Manifest& first);

  /// To be announced before all others: processes are shown in order of their announcement.
  Process process() const;

  struct Member {
    JobRank rank;
    uint32_t pid = 0;
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    RunFacts facts;  // of its own row
  };
  void add(const Member& member);

  /// Tracks get numbers from `first_track` on.
  void write(TraceSink& to, TrackId first_track, const RunFacts& facts) const;

 private:
  struct Row {
    std::string name;
    std::string slice;
    RunFacts facts;
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
  };
  std::string title(const RunFacts& facts) const;

  std::string name_;
  std::string exe_;
  uint64_t identity_ = 0;
  std::set<std::string> hosts_;
  std::vector<Row> rows_;
  uint64_t unfinished_ = 0;
  bool has_ranks_ = false;
};

}  // namespace perseid
