// tools/perseid/launcher.h: programs that start the ranks of a job and are none themselves.
#pragma once

#include <string_view>

namespace perseid {

/// mpirun, mpiexec, srun and similar, by the name of the file.
bool is_launcher(std::string_view program);

}  // namespace perseid
