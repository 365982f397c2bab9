// A library with OpenMP inside; its callers need not know of it.
#include <omp.h>

extern "C" int sum_of_squares(int count) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < count; ++i) sum += i * i;
#ifdef WITH_DETACH
  omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
#pragma omp task detach(event)
  omp_fulfill_event(event);
#endif
#ifdef WITH_NESTED
  omp_set_nested(1);  // which LLVM's runtime has something to say about
#endif
  return sum;
}
