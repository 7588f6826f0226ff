/*
 * The spawn helper: a small process that starts the agents of a host. `fork` copies the page tables of the caller, so it
 * would block the event loop of a host in proportion to its RSS. This process stays small, and posix_spawn copies no
 * page tables.
 *
 *   usage: plugboard-spawn <path of the socket> <backlog>
 *
 * The host writes 32 secret bytes to our stdin, then orders. End of file on stdin means that the host has exited. For
 * each start the host makes two connections to the socket: one becomes stdout of the new process, one its stdin. They
 * are separate because O_NONBLOCK belongs to the open file: a program that sets it on stdin must not change stdout.
 * stderr is a pipe to us, and its bytes follow our reports on stdout: most programs write nothing there, and a third
 * connection for each start would cost more than that copy.
 *
 * All numbers are 32 bits, little-endian.
 *   hello     secret[32] id length, then `length` bytes of a request on the connection for stdout, none on the other
 *   request   argc envc, then strings with a zero each: cwd (or empty), argv[argc], envp[envc]
 *   order     kind id
 *   report    kind id a b, then `a` bytes after STDERR
 */
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECRET = 32, HELLO = 40, CHUNK = 65536, LONGEST_REQUEST = 64 << 20 };
enum order { RELEASE = 1, ABANDON = 2 };
enum report { READY = 1, STARTED = 2, FAILED = 3, EXITED = 4, STDERR = 5 };

/* Connections handled before exits and stderr are polled again: a start takes 0.5 ms. */
enum { HANDLED_AT_ONCE = 16 };

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "The numbers on the wire are little-endian; on this machine use the helper for Node."
#endif

extern char **environ;

/* A connection whose hello or request is not complete. */
struct connection {
  int fd;
  unsigned char hello[HELLO];
  char *request;
  uint32_t length;
  size_t have;
};

struct child {
  uint32_t id;
  pid_t pid; /* 0 until it runs */
  int in, out, err;
  char *request;
  uint32_t length;
  bool exited, released, abandoned;
  int arrived;
};

static unsigned char secret[SECRET];
static const char *socket_path;
static int wake[2];
static struct connection *connections;
static size_t connection_count, connection_room;
static struct child *children;
static size_t child_count, child_room;

/* ---- the end ---- */

/*
 * The host has exited: kills all process groups. An exited process stays unreaped until the host releases it, so each
 * pid in the table still belongs to its group.
 */
static void kill_all_and_exit(void) {
  for (size_t at = 0; at < child_count; at++)
    if (children[at].pid) kill(-children[at].pid, SIGKILL);
  unlink(socket_path);
  char *slash = strrchr(socket_path, '/');
  if (slash) {
    *slash = 0;
    rmdir(socket_path);
  }
  _exit(0);
}

/* ---- reports ---- */

static void send_all(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = write(1, bytes, length);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) kill_all_and_exit();
    bytes += sent;
    length -= (size_t)sent;
  }
}

static void send_report(enum report kind, uint32_t id, int32_t a, int32_t b) {
  int32_t frame[4] = {(int32_t)kind, (int32_t)id, a, b};
  send_all((char *)frame, sizeof frame);
}

/* ---- descriptors ---- */

/* This program has one thread, so no start can happen between the creation of the descriptor and this call. */
static void set_close_on_exec(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

static void set_blocking(int fd, bool blocking) {
  int flags = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

static void close_fd(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* ---- the table of children ---- */

static void *grow_array(void *items, size_t count, size_t *room, size_t size) {
  if (count < *room) return items;
  *room = *room ? *room * 2 : 64;
  items = realloc(items, *room * size);
  if (!items) kill_all_and_exit();
  return items;
}

static struct child *find_child(uint32_t id) {
  for (size_t at = child_count; at-- > 0;)
    if (children[at].id == id) return &children[at];
  return NULL;
}

static struct child *find_or_add_child(uint32_t id) {
  struct child *found = find_child(id);
  if (found) return found;
  children = grow_array(children, child_count, &child_room, sizeof *children);
  children[child_count] = (struct child){.id = id, .in = -1, .out = -1, .err = -1};
  return &children[child_count++];
}

static void remove_child(struct child *child) {
  close_fd(&child->in);
  close_fd(&child->out);
  close_fd(&child->err);
  free(child->request);
  *child = children[--child_count];
}

/* ---- starting ---- */

/* Splits a request into its strings; NULL if its counts do not match its length. */
static char **parse_request(struct child *child, uint32_t *argc, char **cwd) {
  uint32_t counts[2];
  if (child->length < sizeof counts) return NULL;
  memcpy(counts, child->request, sizeof counts);
  char *text = child->request + sizeof counts, *end = child->request + child->length;
  size_t total = (size_t)counts[0] + counts[1];
  if (counts[0] == 0 || total > child->length) return NULL;
  char **strings = malloc((total + 2) * sizeof *strings);
  if (!strings) return NULL;
  for (size_t at = 0, place = 0; at <= total; at++) {
    char *zero = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
    if (!zero) {
      free(strings);
      return NULL;
    }
    if (at == 0) *cwd = text;
    else strings[place++] = text;
    if (at == counts[0]) strings[place++] = NULL;
    text = zero + 1;
  }
  strings[total + 1] = NULL;
  *argc = counts[0];
  return strings;
}

/*
 * Starts a program as Node does: default signals, none blocked, no descriptor above 2. The program leads its own group,
 * but no session: with `sched_autogroup` the kernel shares the processor out between sessions, and a dozen busy agents
 * in sessions of their own would leave the host a thirteenth. In the session of this helper, which has no terminal,
 * all agents together count as one session beside the host.
 */
static int spawn_program(pid_t *pid, const char *file, char **argv, char **envp, const char *cwd, const int fds[3]) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  posix_spawnattr_init(&attributes);
  for (int fd = 0; fd < 3 && !error; fd++) error = posix_spawn_file_actions_adddup2(&actions, fds[fd], fd);
  if (*cwd && !error) error = posix_spawn_file_actions_addchdir_np(&actions, cwd);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  /* posix_spawnp searches the PATH of `environ`; the PATH of the child is the one to use. */
  char **own = environ;
  environ = envp;
  if (!error) error = posix_spawnp(pid, file, &actions, &attributes, argv, envp);
  environ = own;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static bool is_program(const char *cwd, const char *path) {
  char whole[8192];
  if (strlen(cwd) + strlen(path) + 2 > sizeof whole) return false;
  strcpy(whole, *path == '/' ? "" : cwd);
  if (*whole) strcat(whole, "/");
  strcat(whole, path);
  struct stat found;
  return access(whole, X_OK) == 0 && stat(whole, &found) == 0 && S_ISREG(found.st_mode);
}

/* Finds `file` on the PATH; the result is relative to `cwd`. */
static bool found_on_path(char *path, size_t room, const char *file, char **envp, const char *cwd) {
  const char *folders = "/bin:/usr/bin";
  for (char **variable = envp; *variable; variable++)
    if (strncmp(*variable, "PATH=", 5) == 0) folders = *variable + 5;
  for (const char *from = folders;; from++) {
    size_t length = strcspn(from, ":");
    if (length + strlen(file) + 4 < room) {
      memcpy(path, from, length);
      strcpy(path + length, length ? "/" : "./");
      strcat(path, file);
      if (is_program(cwd, path)) return true;
    }
    from += length;
    if (!*from) return false;
  }
}

/* ENOEXEC: the kernel does not know the format, so /bin/sh runs the file as a script, as execvp does. */
static int spawn_script(pid_t *pid, uint32_t argc, char **argv, char **envp, const char *cwd, const int fds[3]) {
  char path[8192];
  const char *script = argv[0];
  if (!strchr(script, '/')) {
    if (!found_on_path(path, sizeof path, argv[0], envp, cwd)) return ENOEXEC;
    script = path;
  }
  char **shell = malloc((argc + 2) * sizeof *shell);
  if (!shell) return ENOMEM;
  shell[0] = "/bin/sh";
  shell[1] = (char *)script;
  memcpy(shell + 2, argv + 1, argc * sizeof *shell);
  int error = spawn_program(pid, "/bin/sh", shell, envp, cwd, fds);
  free(shell);
  return error;
}

static int start_child(struct child *child) {
  uint32_t argc;
  char *cwd;
  char **argv = parse_request(child, &argc, &cwd);
  if (!argv) return EINVAL;
  char **envp = argv + argc + 1;
  int err[2], error = pipe(err) ? errno : 0;
  if (!error) {
    set_close_on_exec(err[0]);
    set_close_on_exec(err[1]);
    int fds[3] = {child->in, child->out, err[1]};
    error = spawn_program(&child->pid, argv[0], argv, envp, cwd, fds);
    if (error == ENOEXEC) error = spawn_script(&child->pid, argc, argv, envp, cwd, fds);
    close(err[1]);
    if (error) close(err[0]);
    else child->err = err[0];
  }
  free(argv);
  return error;
}

static void start_if_complete(struct child *child) {
  if (child->pid || !child->request || child->in < 0 || child->out < 0) return;
  int error = start_child(child);
  if (error) {
    send_report(FAILED, child->id, error, 0);
    child->pid = 0;
    remove_child(child);
    return;
  }
  set_blocking(child->err, false);
  send_report(STARTED, child->id, child->pid, 0);
  close_fd(&child->in);
  close_fd(&child->out);
  free(child->request);
  child->request = NULL;
}

/* ---- connections ---- */

static void accept_connections(int listener) {
  for (;;) {
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) {
      /* The connection stays in the queue until a descriptor is free; without a pause this loop would spin. */
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) poll(NULL, 0, 10);
      if (errno == EINTR) continue;
      return;
    }
    set_close_on_exec(fd);
    set_blocking(fd, true);
    connections = grow_array(connections, connection_count, &connection_room, sizeof *connections);
    connections[connection_count++] = (struct connection){.fd = fd};
  }
}

/* Reads no more than `missing` bytes: bytes after the hello on the connection for stdin belong to the child. */
static int receive_bytes(int fd, char *into, size_t missing, size_t *have) {
  ssize_t got = recv(fd, into, missing, MSG_DONTWAIT);
  if (got > 0) *have += (size_t)got;
  if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return 0;
  return -1;
}

static bool has_secret(const unsigned char *given) {
  unsigned char difference = 0;
  for (int at = 0; at < SECRET; at++) difference |= given[at] ^ secret[at];
  return difference == 0;
}

enum read_state { WAITING, COMPLETE, WRONG };

static enum read_state read_hello(struct connection *connection) {
  char *into = (char *)connection->hello + connection->have;
  if (receive_bytes(connection->fd, into, HELLO - connection->have, &connection->have)) return WRONG;
  if (connection->have < HELLO) return WAITING;
  memcpy(&connection->length, connection->hello + SECRET + 4, 4);
  if (!has_secret(connection->hello) || connection->length > LONGEST_REQUEST) return WRONG;
  if (connection->length == 0) return COMPLETE;
  connection->request = malloc(connection->length);
  return connection->request ? WAITING : WRONG;
}

static enum read_state read_connection(struct connection *connection) {
  if (connection->have < HELLO) {
    enum read_state state = read_hello(connection);
    if (state != WAITING || connection->have < HELLO) return state;
  }
  size_t at = connection->have - HELLO;
  if (receive_bytes(connection->fd, connection->request + at, connection->length - at, &connection->have)) return WRONG;
  return connection->have == HELLO + (size_t)connection->length ? COMPLETE : WAITING;
}

static void assign_connection(struct connection *connection) {
  uint32_t id;
  memcpy(&id, connection->hello + SECRET, 4);
  struct child *child = find_or_add_child(id);
  child->arrived++;
  if (child->abandoned) {
    close(connection->fd);
    free(connection->request);
    if (child->arrived == 2) remove_child(child);
    return;
  }
  if (connection->request) {
    child->out = connection->fd;
    child->request = connection->request;
    child->length = connection->length;
  } else {
    child->in = connection->fd;
  }
  start_if_complete(child);
}

/* True when the connection was assigned or closed. */
static bool handle_connection(struct connection *connection) {
  enum read_state state = read_connection(connection);
  if (state == WAITING) return false;
  if (state == COMPLETE) {
    assign_connection(connection);
  } else {
    close(connection->fd);
    free(connection->request);
  }
  connection->fd = -1;
  return true;
}

/* Handles connections in order of arrival, at most HANDLED_AT_ONCE. */
static void handle_connections(const struct pollfd *polled, size_t polled_connections) {
  int handled = 0;
  for (size_t at = 0; at < polled_connections && handled < HANDLED_AT_ONCE; at++)
    if (polled[at].revents && handle_connection(&connections[at])) handled++;
  if (handled == 0) return;
  size_t kept = 0;
  for (size_t at = 0; at < connection_count; at++)
    if (connections[at].fd >= 0) connections[kept++] = connections[at];
  connection_count = kept;
}

/* ---- stderr and exits of children ---- */

/* False when the pipe is empty or closed. */
static bool relay_stderr(struct child *child) {
  static char frame[16 + CHUNK];
  ssize_t got = read(child->err, frame + 16, CHUNK);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (got <= 0) {
    close_fd(&child->err);
    return false;
  }
  int32_t head[4] = {STDERR, (int32_t)child->id, (int32_t)got, 0};
  memcpy(frame, head, sizeof head);
  send_all(frame, sizeof head + (size_t)got);
  return true;
}

static void reap_child(struct child *child) {
  while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR) {
  }
  child->pid = 0;
  remove_child(child);
}

/* WNOWAIT leaves the child unreaped: until the host releases it, the kernel cannot reuse its pid. */
static void report_exits(void) {
  for (size_t at = child_count; at-- > 0;) {
    struct child *child = &children[at];
    if (!child->pid || child->exited) continue;
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == 0) continue;
    child->exited = true;
    /* 20 reads of 64 KiB exceed the largest pipe; more bytes come from another process that holds stderr. */
    for (int reads = 0; reads < 20 && child->err >= 0 && relay_stderr(child); reads++) {
    }
    bool by_itself = info.si_code == CLD_EXITED;
    send_report(EXITED, child->id, by_itself ? info.si_status : 0, by_itself ? 0 : info.si_status);
    if (child->released) reap_child(child);
  }
}

/* ---- orders ---- */

static void handle_order(enum order kind, uint32_t id) {
  struct child *child = kind == ABANDON ? find_or_add_child(id) : find_child(id);
  if (kind == ABANDON && !child->pid) {
    /* Its connections may still arrive, and must not start it then. */
    child->abandoned = true;
    close_fd(&child->in);
    close_fd(&child->out);
    send_report(FAILED, id, EAGAIN, 0);
  }
  if (kind != RELEASE || !child || !child->pid) return;
  close_fd(&child->err);
  child->released = true;
  if (child->exited) reap_child(child);
}

static void read_orders(void) {
  static char orders[4096];
  static size_t have;
  ssize_t got = read(0, orders + have, sizeof orders - have);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) kill_all_and_exit();
  have += (size_t)got;
  size_t at = 0;
  for (; have - at >= 8; at += 8) {
    uint32_t order[2];
    memcpy(order, orders + at, sizeof order);
    handle_order((enum order)order[0], order[1]);
  }
  have -= at;
  memmove(orders, orders + at, have);
}

/* ---- the loop ---- */

static void on_sigchld(int signal) {
  (void)signal;
  int saved = errno;
  (void)!write(wake[1], "", 1);
  errno = saved;
}

static int listen_at(const char *path, int backlog) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (listener < 0) return -1;
  set_close_on_exec(listener);
  set_blocking(listener, false);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, backlog)) return -1;
  return listener;
}

static void read_secret(void) {
  for (size_t have = 0; have < SECRET;) {
    ssize_t got = read(0, secret + have, SECRET - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) kill_all_and_exit();
    have += (size_t)got;
  }
}

static void prepare_signals(void) {
  if (pipe(wake)) kill_all_and_exit();
  for (int end = 0; end < 2; end++) {
    set_close_on_exec(wake[end]);
    set_blocking(wake[end], false);
  }
  struct sigaction child = {.sa_handler = on_sigchld, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
  sigaction(SIGCHLD, &child, NULL);
  signal(SIGPIPE, SIG_IGN);
}

static void relay_all_stderr(const struct pollfd *polled, size_t polled_children) {
  for (size_t at = 0; at < polled_children; at++) {
    if (!polled[at].revents || polled[at].fd < 0) continue;
    /* Looked up by descriptor, because relay_stderr and other calls may have moved the child in the table. */
    for (size_t place = 0; place < child_count; place++)
      if (children[place].err == polled[at].fd) relay_stderr(&children[place]);
  }
}

static void run_loop(int listener) {
  struct pollfd *polled = NULL;
  size_t room = 0;
  for (;;) {
    size_t polled_connections = connection_count, polled_children = child_count;
    while (3 + polled_connections + polled_children > room) polled = grow_array(polled, room, &room, sizeof *polled);
    polled[0] = (struct pollfd){0, POLLIN, 0};
    polled[1] = (struct pollfd){wake[0], POLLIN, 0};
    polled[2] = (struct pollfd){listener, POLLIN, 0};
    for (size_t at = 0; at < polled_connections; at++) polled[3 + at] = (struct pollfd){connections[at].fd, POLLIN, 0};
    for (size_t at = 0; at < polled_children; at++)
      polled[3 + polled_connections + at] = (struct pollfd){children[at].err, POLLIN, 0};
    if (poll(polled, (nfds_t)(3 + polled_connections + polled_children), -1) < 0) continue;
    /* Accept first: a burst of starts must not fill the queue of connections while other events are handled. */
    if (polled[2].revents) accept_connections(listener);
    if (polled[1].revents) {
      char bytes[256];
      while (read(wake[0], bytes, sizeof bytes) > 0) {
      }
      report_exits();
    }
    if (polled[0].revents) read_orders();
    relay_all_stderr(polled + 3 + polled_connections, polled_children);
    handle_connections(polled + 3, polled_connections);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  /* Descriptors that the parent of the host left open must not reach the agents. */
  for (int fd = 3; fd < 1024; fd++) close(fd);
  socket_path = argv[1];
  prepare_signals();
  read_secret();
  int listener = listen_at(socket_path, atoi(argv[2]));
  if (listener < 0) kill_all_and_exit();
  send_report(READY, 0, getpid(), 0);
  run_loop(listener);
}
