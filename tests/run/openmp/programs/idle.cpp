// Asks OpenMP for the time, and has no work for it.
#include <omp.h>

int main() { return omp_get_wtime() < 0; }
