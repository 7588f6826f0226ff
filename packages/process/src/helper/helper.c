/*
 * The spawn helper: a small process through which a host starts its agents. A fork copies the page tables of the
 * whole process, so a big host would stand still for each start; this process stays small, and posix_spawn does not
 * even copy its tables.
 *
 *   usage: plugboard-spawn <path of the socket> <backlog>
 *
 * The host writes 32 secret bytes to our stdin, then orders. Its end means that the host is gone. For each start the
 * host makes two connections to the socket: one becomes stdout of the new process, one its stdin. They are separate
 * because a program that sets one of them to non-blocking must not change the other. stderr is a pipe to us, which we
 * hand on with the reports on our stdout: most programs write nothing there, and a third connection for each would
 * cost more than the copy.
 *
 * All numbers are 32 bits, little-endian.
 *   hello     secret[32] id length, then `length` bytes of a request on the connection for stdout, none on the other
 *   request   argc envc, then strings with a zero each: cwd (or empty), argv[argc], envp[envc]
 *   order     what id
 *   report    what id a b, then `a` bytes after STDERR
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

/* How many connections are attended to before exits and stderr get their turn again: a start takes half a millisecond. */
enum { ATTENDED_AT_ONCE = 16 };

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "The numbers on the wire are little-endian; on this machine the helper in Node serves."
#endif

extern char **environ;

/* A connection that has not said yet, or not in full, what it is for. */
struct caller {
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
static struct caller *callers;
static size_t caller_count, caller_room;
static struct child *children;
static size_t child_count, child_room;

/* ---- the end ---- */

/*
 * The host is gone: so is everything it started. A process that has exited stays unreaped until the host releases
 * it, so each number here still belongs to the group that we started.
 */
static void leave(void) {
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
    if (sent < 0) leave();
    bytes += sent;
    length -= (size_t)sent;
  }
}

static void report(enum report what, uint32_t id, int32_t a, int32_t b) {
  int32_t frame[4] = {(int32_t)what, (int32_t)id, a, b};
  send_all((char *)frame, sizeof frame);
}

/* ---- descriptors ---- */

/* One thread, so nothing can be started between the making of a descriptor and this. */
static void keep_to_ourselves(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

static void set_blocking(int fd, bool blocking) {
  int flags = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

static void shut(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* ---- the table of children ---- */

static void *grown(void *items, size_t count, size_t *room, size_t size) {
  if (count < *room) return items;
  *room = *room ? *room * 2 : 64;
  items = realloc(items, *room * size);
  if (!items) leave();
  return items;
}

static struct child *child_of(uint32_t id) {
  for (size_t at = child_count; at-- > 0;)
    if (children[at].id == id) return &children[at];
  return NULL;
}

static struct child *child_for(uint32_t id) {
  struct child *found = child_of(id);
  if (found) return found;
  children = grown(children, child_count, &child_room, sizeof *children);
  children[child_count] = (struct child){.id = id, .in = -1, .out = -1, .err = -1};
  return &children[child_count++];
}

static void forget(struct child *child) {
  shut(&child->in);
  shut(&child->out);
  shut(&child->err);
  free(child->request);
  *child = children[--child_count];
}

/* ---- starting ---- */

/* Cuts a request into its strings; NULL when it does not hold what it says. */
static char **strings_of(struct child *child, uint32_t *argc, char **cwd) {
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
 * As a Node host starts its own: default signals, none blocked, nothing but 0 to 2. A group of its own, but no session: where
 * the kernel shares the processor out between sessions, a dozen busy agents would leave the host a thirteenth of it; in the
 * session of the helper, which has no terminal, they are together one beside the host.
 */
static int spawn_as(pid_t *pid, const char *file, char **argv, char **envp, const char *cwd, const int fds[3]) {
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
  /* The search goes by the PATH of the caller's environment; what counts is the PATH of the child. */
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

/* The file that the search on PATH found, as it is called from within cwd. */
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

/* A program that the kernel does not know the format of is a script for the shell, as execvp has it. */
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
  int error = spawn_as(pid, "/bin/sh", shell, envp, cwd, fds);
  free(shell);
  return error;
}

static int run(struct child *child) {
  uint32_t argc;
  char *cwd;
  char **argv = strings_of(child, &argc, &cwd);
  if (!argv) return EINVAL;
  char **envp = argv + argc + 1;
  int err[2], error = pipe(err) ? errno : 0;
  if (!error) {
    keep_to_ourselves(err[0]);
    keep_to_ourselves(err[1]);
    int fds[3] = {child->in, child->out, err[1]};
    error = spawn_as(&child->pid, argv[0], argv, envp, cwd, fds);
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
  int error = run(child);
  if (error) {
    report(FAILED, child->id, error, 0);
    child->pid = 0;
    forget(child);
    return;
  }
  set_blocking(child->err, false);
  report(STARTED, child->id, child->pid, 0);
  shut(&child->in);
  shut(&child->out);
  free(child->request);
  child->request = NULL;
}

/* ---- connections ---- */

static void greet(int listener) {
  for (;;) {
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) {
      /* It stays in the queue until a descriptor is free; without a pause we would ask without end. */
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) poll(NULL, 0, 10);
      if (errno == EINTR) continue;
      return;
    }
    keep_to_ourselves(fd);
    set_blocking(fd, true);
    callers = grown(callers, caller_count, &caller_room, sizeof *callers);
    callers[caller_count++] = (struct caller){.fd = fd};
  }
}

/* Takes exactly as many bytes as are missing: those after the hello of a connection for stdin are for the child. */
static int take(int fd, char *into, size_t missing, size_t *have) {
  ssize_t got = recv(fd, into, missing, MSG_DONTWAIT);
  if (got > 0) *have += (size_t)got;
  if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return 0;
  return -1;
}

static bool is_ours(const unsigned char *given) {
  unsigned char difference = 0;
  for (int at = 0; at < SECRET; at++) difference |= given[at] ^ secret[at];
  return difference == 0;
}

enum heard { WAITING, COMPLETE, WRONG };

static enum heard hear_hello(struct caller *caller) {
  if (take(caller->fd, (char *)caller->hello + caller->have, HELLO - caller->have, &caller->have)) return WRONG;
  if (caller->have < HELLO) return WAITING;
  memcpy(&caller->length, caller->hello + SECRET + 4, 4);
  if (!is_ours(caller->hello) || caller->length > LONGEST_REQUEST) return WRONG;
  if (caller->length == 0) return COMPLETE;
  caller->request = malloc(caller->length);
  return caller->request ? WAITING : WRONG;
}

static enum heard hear(struct caller *caller) {
  if (caller->have < HELLO) {
    enum heard heard = hear_hello(caller);
    if (heard != WAITING || caller->have < HELLO) return heard;
  }
  size_t at = caller->have - HELLO;
  if (take(caller->fd, caller->request + at, caller->length - at, &caller->have)) return WRONG;
  return caller->have == HELLO + (size_t)caller->length ? COMPLETE : WAITING;
}

static void assign(struct caller *caller) {
  uint32_t id;
  memcpy(&id, caller->hello + SECRET, 4);
  struct child *child = child_for(id);
  child->arrived++;
  if (child->abandoned) {
    close(caller->fd);
    free(caller->request);
    if (child->arrived == 2) forget(child);
    return;
  }
  if (caller->request) {
    child->out = caller->fd;
    child->request = caller->request;
    child->length = caller->length;
  } else {
    child->in = caller->fd;
  }
  start_if_complete(child);
}

/* True when the connection needs no more attention. */
static bool attend(struct caller *caller) {
  enum heard heard = hear(caller);
  if (heard == WAITING) return false;
  if (heard == COMPLETE) {
    assign(caller);
  } else {
    close(caller->fd);
    free(caller->request);
  }
  caller->fd = -1;
  return true;
}

/* Whoever called first is served first. */
static void attend_callers(const struct pollfd *polled, size_t called) {
  int attended = 0;
  for (size_t at = 0; at < called && attended < ATTENDED_AT_ONCE; at++)
    if (polled[at].revents && attend(&callers[at])) attended++;
  if (attended == 0) return;
  size_t kept = 0;
  for (size_t at = 0; at < caller_count; at++)
    if (callers[at].fd >= 0) callers[kept++] = callers[at];
  caller_count = kept;
}

/* ---- what children say and how they end ---- */

/* False when there is no more for now. */
static bool relay(struct child *child) {
  static char frame[16 + CHUNK];
  ssize_t got = read(child->err, frame + 16, CHUNK);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (got <= 0) {
    shut(&child->err);
    return false;
  }
  int32_t head[4] = {STDERR, (int32_t)child->id, (int32_t)got, 0};
  memcpy(frame, head, sizeof head);
  send_all(frame, sizeof head + (size_t)got);
  return true;
}

static void reap(struct child *child) {
  while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR) {
  }
  child->pid = 0;
  forget(child);
}

/* Looked at without reaping: until the host releases the child, nobody else can get its number. */
static void look_for_exits(void) {
  for (size_t at = child_count; at-- > 0;) {
    struct child *child = &children[at];
    if (!child->pid || child->exited) continue;
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == 0) continue;
    child->exited = true;
    /* What was written before the exit fits in a pipe of the largest size; more comes from somebody else. */
    for (int reads = 0; reads < 20 && child->err >= 0 && relay(child); reads++) {
    }
    bool by_itself = info.si_code == CLD_EXITED;
    report(EXITED, child->id, by_itself ? info.si_status : 0, by_itself ? 0 : info.si_status);
    if (child->released) reap(child);
  }
}

/* ---- orders ---- */

static void obey(enum order what, uint32_t id) {
  struct child *child = what == ABANDON ? child_for(id) : child_of(id);
  if (what == ABANDON && !child->pid) {
    /* Its connections may still be on their way, and must not start it then. */
    child->abandoned = true;
    shut(&child->in);
    shut(&child->out);
    report(FAILED, id, EAGAIN, 0);
  }
  if (what != RELEASE || !child || !child->pid) return;
  shut(&child->err);
  child->released = true;
  if (child->exited) reap(child);
}

static void take_orders(void) {
  static char orders[4096];
  static size_t have;
  ssize_t got = read(0, orders + have, sizeof orders - have);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) leave();
  have += (size_t)got;
  size_t at = 0;
  for (; have - at >= 8; at += 8) {
    uint32_t order[2];
    memcpy(order, orders + at, sizeof order);
    obey((enum order)order[0], order[1]);
  }
  have -= at;
  memmove(orders, orders + at, have);
}

/* ---- the loop ---- */

static void on_child(int signal) {
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
  keep_to_ourselves(listener);
  set_blocking(listener, false);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, backlog)) return -1;
  return listener;
}

static void learn_secret(void) {
  for (size_t have = 0; have < SECRET;) {
    ssize_t got = read(0, secret + have, SECRET - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) leave();
    have += (size_t)got;
  }
}

static void prepare_signals(void) {
  if (pipe(wake)) leave();
  for (int end = 0; end < 2; end++) {
    keep_to_ourselves(wake[end]);
    set_blocking(wake[end], false);
  }
  struct sigaction child = {.sa_handler = on_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
  sigaction(SIGCHLD, &child, NULL);
  signal(SIGPIPE, SIG_IGN);
}

static void relay_all(const struct pollfd *polled, size_t living) {
  for (size_t at = 0; at < living; at++) {
    if (!polled[at].revents || polled[at].fd < 0) continue;
    /* By descriptor, because the table may have changed since. */
    for (size_t place = 0; place < child_count; place++)
      if (children[place].err == polled[at].fd) relay(&children[place]);
  }
}

static void serve(int listener) {
  struct pollfd *polled = NULL;
  size_t room = 0;
  for (;;) {
    size_t called = caller_count, living = child_count;
    while (3 + called + living > room) polled = grown(polled, room, &room, sizeof *polled);
    polled[0] = (struct pollfd){0, POLLIN, 0};
    polled[1] = (struct pollfd){wake[0], POLLIN, 0};
    polled[2] = (struct pollfd){listener, POLLIN, 0};
    for (size_t at = 0; at < called; at++) polled[3 + at] = (struct pollfd){callers[at].fd, POLLIN, 0};
    for (size_t at = 0; at < living; at++)
      polled[3 + called + at] = (struct pollfd){children[at].err, POLLIN, 0};
    if (poll(polled, (nfds_t)(3 + called + living), -1) < 0) continue;
    /* First of all, so that a burst of starts does not fill the queue of connections while we work through it. */
    if (polled[2].revents) greet(listener);
    if (polled[1].revents) {
      char bytes[256];
      while (read(wake[0], bytes, sizeof bytes) > 0) {
      }
      look_for_exits();
    }
    if (polled[0].revents) take_orders();
    relay_all(polled + 3 + called, living);
    attend_callers(polled + 3, called);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  /* What a careless parent of the host has left open is not for its agents. */
  for (int fd = 3; fd < 1024; fd++) close(fd);
  socket_path = argv[1];
  prepare_signals();
  learn_secret();
  int listener = listen_at(socket_path, atoi(argv[2]));
  if (listener < 0) leave();
  report(READY, 0, getpid(), 0);
  serve(listener);
}
