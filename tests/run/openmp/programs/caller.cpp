// Calls the library of kernel.cpp, and has no OpenMP of its own. "fail" ends before the call.
#include <cstdio>
#include <cstring>

extern "C" int sum_of_squares(int count);

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "fail") == 0) return 3;
  std::printf("sum %d\n", sum_of_squares(100));
  return 0;
}
