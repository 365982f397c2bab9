// plugin/settings/job_environment.cpp: rank, job, host and program, from whoever started this
// process.
#include "plugin/settings/job_environment.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

#include "plugin/settings/file_name_text.h"
#include "plugin/settings/text_buffer.h"

namespace perseid {
namespace {

constinit uint32_t g_mpi_rank = 0;
constinit uint32_t g_mpi_size = 0;  // 0: not known from MPI yet

std::string_view variable(const char* name) noexcept {
  const char* value = secure_getenv(name);
  return value ? value : std::string_view();
}

template <size_t N>
std::string_view first_set(const char* const (&names)[N]) noexcept {
  for (const char* name : names) {
    if (!name) break;
    if (const std::string_view value = variable(name); !value.empty()) return value;
  }
  return {};
}

template <size_t N>
void keep(char (&field)[N], std::string_view value) noexcept {
  TextBuffer text(field);
  add_file_name_text(text, value);
}

/// Variables of one launcher. Rank and size of different launchers do not belong together.
struct Launcher {
  const char* rank;
  const char* size[3];
  const char* local_rank[2];
};

// Slurm comes after the MPI launchers: mpirun inside a batch job starts ranks of its own.
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", {"OMPI_COMM_WORLD_SIZE"}, {"OMPI_COMM_WORLD_LOCAL_RANK"}},
    {"MV2_COMM_WORLD_RANK", {"MV2_COMM_WORLD_SIZE"}, {"MV2_COMM_WORLD_LOCAL_RANK"}},
    {"PALS_RANKID", {"PALS_SIZE", "PMI_SIZE"}, {"PALS_LOCAL_RANKID", "PMI_LOCAL_RANK"}},
    {"FLUX_TASK_RANK", {"FLUX_JOB_SIZE"}, {"FLUX_TASK_LOCAL_ID"}},
    {"PMI_RANK", {"PMI_SIZE"}, {"MPI_LOCALRANKID", "PMI_LOCAL_RANK"}},
    {"PMIX_RANK",
     {"PMIX_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
     {"PMIX_LOCAL_RANK", "SLURM_LOCALID"}},
};
constexpr Launcher kSlurm = {
    "SLURM_PROCID", {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}, {"SLURM_LOCALID"}};

std::string_view slurm_step() noexcept { return first_set({"SLURM_STEP_ID", "SLURM_STEPID"}); }

const Launcher* launcher() noexcept {
  for (const Launcher& one : kLaunchers) {
    if (!variable(one.rank).empty()) return &one;
  }
  // Slurm gives every batch script the rank 0; it means something only where tasks are counted.
  const std::string_view tasks = variable("SLURM_NTASKS");
  const bool has_tasks = !tasks.empty() && tasks != "1";
  const bool is_task = has_tasks || !slurm_step().empty();
  return is_task && !variable(kSlurm.rank).empty() ? &kSlurm : nullptr;
}

std::string_view job() noexcept {
  const auto slurm = first_set({"SLURM_ARRAY_JOB_ID", "SLURM_JOB_ID"});
  if (!slurm.empty()) return slurm;
  // "1234.server.site": the number is what people call the job.
  const std::string_view pbs = variable("PBS_JOBID");
  if (!pbs.empty()) return pbs.substr(0, pbs.find('.'));
  return first_set({"LSB_JOBID", "FLUX_JOB_ID"});
}

std::string_view array_index() noexcept {
  const auto index = first_set({"SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID"});
  if (!index.empty()) return index;
  const std::string_view lsf = variable("LSB_JOBINDEX");
  return lsf == "0" ? std::string_view() : lsf;  // what LSF sets where there is no array
}

/// One number of the launcher for all that it started together.
void read_world(char (&world)[128]) noexcept {
  TextBuffer text(world);
  const auto name = first_set({"PMIX_NAMESPACE", "PALS_APID"});
  if (!name.empty()) return add_file_name_text(text, name);
  const std::string_view slurm = variable("SLURM_JOB_ID");
  if (!slurm.empty() && !slurm_step().empty()) {
    add_file_name_text(text, slurm);
    text.add('.');
    return add_file_name_text(text, slurm_step());
  }
  const std::string_view flux = variable("FLUX_JOB_ID");
  if (!flux.empty()) return add_file_name_text(text, flux);
  // Hydra has no such number; all ranks of a node are children of its one proxy there.
  if (!variable("PMI_FD").empty() || !variable("PMI_PORT").empty()) {
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
    add_file_name_text(text, host);
    text.add('-').add_number(static_cast<uint64_t>(getppid()));
  }
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

JobEnvironment read_job_environment() noexcept {
  JobEnvironment environment = {};
  read_exe(environment.exe);
  read_host(environment.host);
  if (const Launcher* found = launcher()) {
    keep(environment.rank, variable(found->rank));
    keep(environment.size, first_set(found->size));
    keep(environment.local_rank, first_set(found->local_rank));
  }
  if (g_mpi_size != 0) {
    TextBuffer(environment.rank).add_number(g_mpi_rank);
    TextBuffer(environment.size).add_number(g_mpi_size);
  }
  keep(environment.job, job());
  keep(environment.step, slurm_step());
  keep(environment.array_index, array_index());
  if (variable("SLURM_RESTART_COUNT") != "0") {
    keep(environment.restart, variable("SLURM_RESTART_COUNT"));
  }
  keep(environment.time_limit, variable("SLURM_JOB_END_TIME"));
  read_world(environment.world);
  environment.pid = static_cast<uint64_t>(getpid());
  environment.start_s = time(nullptr);
  return environment;
}

RankInJob read_rank_in_job() noexcept {
  if (g_mpi_size != 0) return {g_mpi_rank, g_mpi_size};
  const Launcher* found = launcher();
  if (!found) return {};
  const auto number = [](std::string_view text, int64_t fallback) {
    int64_t value = 0;
    const auto end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end && value >= 0 ? value : fallback;
  };
  return {number(variable(found->rank), -1),
          static_cast<uint32_t>(number(first_set(found->size), 0))};
}

void set_mpi_rank(uint32_t rank, uint32_t size) noexcept {
  g_mpi_rank = rank;
  g_mpi_size = size;
}

}  // namespace perseid
