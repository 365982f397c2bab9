/* overwrites_arguments.c: blanks out its arguments, as programs do that are given passwords. */
#include <string.h>

#include "include/perseid.h"

int main(int count, char** words) {
  for (int i = 1; i < count; ++i) memset(words[i], '*', strlen(words[i]));
  perseid_instant("blanked");
  return 0;
}
