/* own_stderr.c FILE: closes the standard descriptors and gets the number 2 for a file of its own.
 */
#include <fcntl.h>
#include <unistd.h>

#include "include/perseid.h"

int main(int count, char** words) {
  if (count != 2) return 2;
  for (int fd = 0; fd < 3; ++fd) close(fd);
  for (int fd = 0; fd < 2; ++fd)
    if (open("/dev/null", O_RDWR) != fd) return 3;
  const int own = open(words[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (own != STDERR_FILENO || write(own, "DATABASE\n", 9) != 9) return 4;
  for (int i = 0; i < 10; ++i) {
    perseid_begin("x");
    perseid_end();
  }
  return 0;
}
