/* A resident agent in Nuum's dialect: answers every line of input with a whole turn, and stays. */
#include <stdio.h>
#include <string.h>

int main(void) {
  static char line[65536];
  puts("{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"bench\",\"tools\":[]}");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (strstr(line, "\"user\"") == NULL) continue;
    puts("{\"type\":\"system\",\"subtype\":\"turn_accepted\",\"session_id\":\"bench\"}");
    puts("{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]},\"session_id\":\"bench\"}");
    puts("{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"ok\",\"num_turns\":1,\"duration_ms\":1,\"is_error\":false,\"session_id\":\"bench\"}");
    fflush(stdout);
  }
  return 0;
}
