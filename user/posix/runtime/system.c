/* What the system says of itself, and what its memory and its streams need no call for. */

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#if __riscv_xlen == 64
#define MACHINE "riscv64"
#else
#define MACHINE "riscv32"
#endif

int uname(struct utsname *name)
{
    static const struct utsname own = {
        .sysname = "giornata",
        .release = "0.1.0",
        .version = "1",
        .machine = MACHINE,
    };
    *name = own;
    return 0;
}

/* Known of the process: thread.c, sync.c. */
extern const uint32_t giornata_posix_place_count;
extern const uint16_t giornata_posix_waiting[2];

/* An option that needs a kernel of configuration `pse51`: there are objects to wait by then. */
static long option(long since)
{
    return giornata_posix_waiting[1] != 0 ? since : -1;
}

long sysconf(int name)
{
    switch (name) {
    /* options that are always here */
    case _SC_VERSION: return _POSIX_VERSION;
    case _SC_CLOCK_SELECTION: return _POSIX_CLOCK_SELECTION;
    case _SC_FSYNC: return _POSIX_FSYNC;
    case _SC_MAPPED_FILES: return _POSIX_MAPPED_FILES;
    case _SC_MEMLOCK: return _POSIX_MEMLOCK;
    case _SC_MEMLOCK_RANGE: return _POSIX_MEMLOCK_RANGE;
    case _SC_MONOTONIC_CLOCK: return _POSIX_MONOTONIC_CLOCK;
    case _SC_PRIORITY_SCHEDULING: return _POSIX_PRIORITY_SCHEDULING;
    case _SC_SHARED_MEMORY_OBJECTS: return _POSIX_SHARED_MEMORY_OBJECTS;
    case _SC_SYNCHRONIZED_IO: return _POSIX_SYNCHRONIZED_IO;
    case _SC_THREADS: return _POSIX_THREADS;
    case _SC_THREAD_ATTR_STACKADDR: return _POSIX_THREAD_ATTR_STACKADDR;
    case _SC_THREAD_ATTR_STACKSIZE: return _POSIX_THREAD_ATTR_STACKSIZE;
    case _SC_THREAD_CPUTIME: return _POSIX_THREAD_CPUTIME;
    case _SC_THREAD_PRIORITY_SCHEDULING: return _POSIX_THREAD_PRIORITY_SCHEDULING;
    case _SC_THREAD_SAFE_FUNCTIONS: return _POSIX_THREAD_SAFE_FUNCTIONS;
    /* options that the kernel has to have, too */
    case _SC_BARRIERS:
    case _SC_CPUTIME:
    case _SC_MESSAGE_PASSING:
    case _SC_READER_WRITER_LOCKS:
    case _SC_REALTIME_SIGNALS:
    case _SC_SEMAPHORES:
    case _SC_SPIN_LOCKS:
    case _SC_SPORADIC_SERVER:
    case _SC_THREAD_PRIO_INHERIT:
    case _SC_THREAD_PRIO_PROTECT:
    case _SC_THREAD_ROBUST_PRIO_INHERIT:
    case _SC_THREAD_ROBUST_PRIO_PROTECT:
    case _SC_THREAD_SPORADIC_SERVER:
    case _SC_TIMEOUTS:
    case _SC_TIMERS: return option(_POSIX_VERSION);
    /* limits */
    case _SC_ATEXIT_MAX: return ATEXIT_MAX;
    case _SC_CLK_TCK: return CLOCKS_PER_SEC;
    case _SC_DELAYTIMER_MAX: return DELAYTIMER_MAX;
    case _SC_HOST_NAME_MAX: return sizeof((struct utsname *)0)->nodename - 1;
    case _SC_MQ_OPEN_MAX: return MQ_OPEN_MAX;
    case _SC_MQ_PRIO_MAX: return MQ_PRIO_MAX;
    case _SC_NGROUPS_MAX: return 0;
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN: return 1;
    case _SC_OPEN_MAX: return OPEN_MAX;
    case _SC_PAGESIZE: return PAGESIZE;
    case _SC_RTSIG_MAX: return RTSIG_MAX;
    case _SC_SEM_NSEMS_MAX: return SEM_NSEMS_MAX;
    case _SC_SEM_VALUE_MAX: return SEM_VALUE_MAX;
    case _SC_SIGQUEUE_MAX: return SIGQUEUE_MAX;
    case _SC_SS_REPL_MAX: return SS_REPL_MAX;
    case _SC_STREAM_MAX: return STREAM_MAX;
    case _SC_THREAD_DESTRUCTOR_ITERATIONS: return PTHREAD_DESTRUCTOR_ITERATIONS;
    case _SC_THREAD_KEYS_MAX: return PTHREAD_KEYS_MAX;
    case _SC_THREAD_STACK_MIN: return PTHREAD_STACK_MIN;
    case _SC_THREAD_THREADS_MAX: return giornata_posix_place_count;
    case _SC_TIMER_MAX: return TIMER_MAX;
    case _SC_TZNAME_MAX: return TZNAME_MAX;
    }
    /* What POSIX.1 names besides is not here, or has no limit: no change of errno. */
    if (name < 0 || name > _SC_POSIX_26_VERSION)
        errno = EINVAL;
    return -1;
}

/* There is no path to look for programs, and nothing else that is asked for by a name. */
size_t confstr(int name, char *text, size_t size)
{
    (void)text;
    (void)size;
    if (name != _CS_PATH)
        errno = EINVAL;
    return 0;
}

int mlockall(int how)
{
    if (how != 0 && (how & ~(MCL_CURRENT | MCL_FUTURE)) == 0)
        return 0;
    errno = EINVAL;
    return -1;
}

int munlockall(void)
{
    return 0;
}

int mlock(const void *from, size_t bytes)
{
    if (bytes <= UINTPTR_MAX - (uintptr_t)from)
        return 0;
    errno = ENOMEM;
    return -1;
}

int munlock(const void *from, size_t bytes)
{
    return mlock(from, bytes);
}

int getc_unlocked(FILE *stream)
{
    return getc(stream);
}

int getchar_unlocked(void)
{
    return getchar();
}

int putc_unlocked(int byte, FILE *stream)
{
    return putc(byte, stream);
}

int putchar_unlocked(int byte)
{
    return putchar(byte);
}
