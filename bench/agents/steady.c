/* Says a line ten times a second until its input ends or it has said as many as its first argument says. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int lines = argc > 1 ? atoi(argv[1]) : 100;
  /* Spread over the tenth of a second, as agents of different people are. */
  usleep((useconds_t)(getpid() % 100) * 1000);
  for (int at = 0; at < lines; at++) {
    char line[64];
    int length = snprintf(line, sizeof line, "{\"type\":\"progress\",\"text\":\"line %d\"}\n", at);
    if (write(1, line, (size_t)length) != length) return 1;
    usleep(100000);
  }
  return 0;
}
