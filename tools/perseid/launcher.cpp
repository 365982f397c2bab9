// tools/perseid/launcher.cpp: a list of names.
#include "tools/perseid/launcher.h"

#include <algorithm>

namespace perseid {

bool is_launcher(std::string_view program) {
  constexpr std::string_view kNames[] = {"mpirun", "mpiexec", "orterun", "prterun", "prun",
                                         "srun",   "aprun",   "jsrun",   "flux",    "ibrun"};
  std::string_view name = program.substr(program.rfind('/') + 1);
  name = name.substr(0, name.find('.'));  // mpirun.openmpi, mpiexec.hydra
  return std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace perseid
