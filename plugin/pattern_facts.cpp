// plugin/pattern_facts.cpp: rank, job, host and program, from whoever started this process.
#include "plugin/pattern_facts.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>
#include <string_view>

#include "plugin/file_name_text.h"
#include "plugin/text_buffer.h"

namespace perseid {
namespace {

std::string_view environment(const char* name) noexcept {
  const char* value = getenv(name);
  return value ? value : std::string_view();
}

std::string_view first_set(std::initializer_list<const char*> names) noexcept {
  for (const char* name : names) {
    if (const std::string_view value = environment(name); !value.empty()) return value;
  }
  return {};
}

template <size_t N>
void keep(char (&field)[N], std::string_view value) noexcept {
  TextBuffer text(field);
  add_file_name_text(text, value);
}

std::string_view rank() noexcept {
  const auto launched =
      first_set({"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"});
  if (!launched.empty()) return launched;
  // Slurm gives every batch script the rank 0; it means something only where tasks are counted.
  const std::string_view tasks = environment("SLURM_NTASKS");
  const bool has_tasks = !tasks.empty() && tasks != "1";
  if (has_tasks || !first_set({"SLURM_STEP_ID", "SLURM_STEPID"}).empty()) {
    if (const auto task = environment("SLURM_PROCID"); !task.empty()) return task;
  }
  return first_set({"PALS_RANKID", "FLUX_TASK_RANK"});
}

std::string_view job() noexcept {
  const auto slurm = first_set({"SLURM_ARRAY_JOB_ID", "SLURM_JOB_ID"});
  if (!slurm.empty()) return slurm;
  // "1234.server.site": the number is what people call the job.
  const std::string_view pbs = environment("PBS_JOBID");
  if (!pbs.empty()) return pbs.substr(0, pbs.find('.'));
  return first_set({"LSB_JOBID", "FLUX_JOB_ID"});
}

std::string_view array_index() noexcept {
  const auto index = first_set({"SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID"});
  if (!index.empty()) return index;
  const std::string_view lsf = environment("LSB_JOBINDEX");
  return lsf == "0" ? std::string_view() : lsf;  // LSF's way of saying that there is no array
}

void read_exe(char (&exe)[256]) noexcept {
  char link[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", link, sizeof link);
  std::string_view path(link, length > 0 ? static_cast<size_t>(length) : 0);
  constexpr std::string_view kDeleted = " (deleted)";
  if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
  path.remove_prefix(path.rfind('/') + 1);
  keep(exe, path.empty() ? "program" : path);
}

void read_host(char (&host)[256]) noexcept {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) name[0] = '\0';
  const std::string_view full(name);
  keep(host, full.substr(0, full.find('.')));
}

}  // namespace

PatternFacts read_pattern_facts() noexcept {
  PatternFacts facts = {};
  read_exe(facts.exe);
  read_host(facts.host);
  keep(facts.rank, rank());
  keep(facts.job, job());
  keep(facts.array_index, array_index());
  facts.pid = static_cast<uint64_t>(getpid());
  facts.start_s = time(nullptr);
  return facts;
}

}  // namespace perseid
