// Prints what a program finds at its start, and wants something of libgomp that LLVM's runtime
// lacks.
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

int main(int count, char** words) {
  if (count < 0) omp_fulfill_event(omp_event_handle_t());
  for (int i = 0; i < count; ++i) std::printf("word %s\n", words[i]);
  std::string line;
  std::getline(std::ifstream("/proc/self/comm"), line);
  std::printf("comm %s\n", line.c_str());
  for (char** variable = environ; *variable; ++variable) {
    if (std::strncmp(*variable, "LD_", 3) != 0 && std::strncmp(*variable, "PERSEID", 7) != 0)
      std::printf("variable %s\n", *variable);
  }
  for (int i = 0; i < 32; ++i) {
    if (fcntl(i, F_GETFD) >= 0) std::printf("descriptor %d\n", i);
  }
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  for (int i = 1; i < 32; ++i) std::printf("%d", sigismember(&blocked, i));
  std::printf("\n");
  // For children, which decide for themselves.
  std::fprintf(stderr, "children: %s|%s\n", std::getenv("LD_PRELOAD"),
               std::getenv("PERSEID_OPENMP_KEPT"));
  return 0;
}
