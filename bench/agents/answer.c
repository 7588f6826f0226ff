/* Reads one line, says what its first argument holds, and ends. */
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  static char line[65536];
  size_t have = 0;
  while (have < sizeof line && memchr(line, '\n', have) == NULL) {
    ssize_t got = read(0, line + have, sizeof line - have);
    if (got <= 0) break;
    have += (size_t)got;
  }
  if (argc < 2) return 2;
  size_t length = strlen(argv[1]);
  return write(1, argv[1], length) == (ssize_t)length ? 0 : 1;
}
