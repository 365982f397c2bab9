/* consumer.c: a user's program, built against an installed Perseid. */
#include <perseid.h>
#include <stdio.h>

int main(void) {
  perseid_begin("installed");
  perseid_end();
  puts(perseid_is_here() ? "traced" : "untraced");
  return 0;
}
