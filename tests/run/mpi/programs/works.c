/* works SECONDS [stubborn]: ranges of 10 ms each; a stubborn one ends by SIGKILL only. */
#include <perseid.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  if (argc > 2) signal(SIGTERM, SIG_IGN);
  for (int i = 0; i < (int)(seconds * 100); ++i) {
    const struct timespec pause = {0, 10000000};
    perseid_begin("step");
    nanosleep(&pause, NULL);
    perseid_end();
  }
  return 0;
}
