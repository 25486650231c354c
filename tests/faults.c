/* Calls of the system that fail on demand. Loaded with LD_PRELOAD into the process under test; see tests/faults.py.

   Counted are writes to regular files, fsync and rename: what a full or failing disk makes fail. And fork: a system
   without memory or processes refuses it. The counter is shared with processes that are forked, so that the process
   that forks can read it. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ONCE, ALWAYS, SHORT, KILL };

static struct {
  atomic_long calls;
  long failing; /* the number of the call that fails, from 1; 0 for none */
  int error, mode;
  pid_t server; /* the process that forks those under test */
} *state;

__attribute__((constructor)) static void start(void) {
  state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  state->server = getpid();
}

/* Let the n-th call fail from now on. ONCE: that call alone. ALWAYS: every later one, too. SHORT: as ALWAYS, but a
   write first writes half of its bytes, as a disk does that becomes full. KILL: the process is killed before the call. */
void faults_arm(long n, int error, int mode) {
  state->calls = 0;
  state->failing = n;
  state->error = error;
  state->mode = mode;
}

long faults_calls(void) { return state->calls; }

/* Count a call; return 1 if it fails, or 2 if half of it is done first. */
static int faulty(void) {
  long call = ++state->calls;
  if (!state->failing || call < state->failing || (call > state->failing && state->mode == ONCE)) return 0;
  if (state->mode == KILL) kill(getpid(), SIGKILL);
  if (call == state->failing && state->mode == SHORT) return 2;
  errno = state->error;
  return 1;
}

static int is_regular(int file) {
  struct stat status;
  return state && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

#define REAL(type, name, ...) type (*real)(__VA_ARGS__) = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define WRITE(name, parameters, types, whole, half) \
  ssize_t name parameters { \
    REAL(ssize_t, name, types); \
    int fault = is_regular(file) ? faulty() : 0; \
    if (fault == 1 || (fault == 2 && size < 2)) { errno = state->error; return -1; } \
    return fault ? half : whole; \
  }
#define LIST(...) __VA_ARGS__

WRITE(write, (int file, const void *data, size_t size), LIST(int, const void *, size_t),
      real(file, data, size), real(file, data, size / 2))
WRITE(pwrite, (int file, const void *data, size_t size, off_t at), LIST(int, const void *, size_t, off_t),
      real(file, data, size, at), real(file, data, size / 2, at))
WRITE(pwrite64, (int file, const void *data, size_t size, off64_t at), LIST(int, const void *, size_t, off64_t),
      real(file, data, size, at), real(file, data, size / 2, at))

#define SYNC(name) \
  int name(int file) { \
    REAL(int, name, int); \
    if (is_regular(file) && faulty()) { errno = state->error; return -1; } \
    return real(file); \
  }
SYNC(fsync)
SYNC(fdatasync)

int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  if (faulty()) { errno = state->error; return -1; }
  return real(from, to);
}

pid_t fork(void) {
  REAL(pid_t, fork, void);
  if (state && getpid() != state->server && faulty()) { errno = EAGAIN; return -1; }
  return real();
}
