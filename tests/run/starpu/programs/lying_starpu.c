/* lying_starpu.c: stands between Perseid and StarPU and puts priorities where they do not belong,
 * as a StarPU with a layout that nobody has foreseen would. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

intptr_t fstarpu_get_constant(char* name) {
  intptr_t (*real)(char*) =
      __extension__(intptr_t(*)(char*)) dlsym(RTLD_NEXT, "fstarpu_get_constant");
  if (strcmp(name, "FSTARPU_PRIORITY") == 0) return real("FSTARPU_HYPERVISOR_TAG");
  if (strcmp(name, "FSTARPU_SCHED_CTX") == 0) return real("FSTARPU_HYPERVISOR_TAG");
  return real(name);
}
