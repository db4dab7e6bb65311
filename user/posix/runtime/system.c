/* What the system says of itself, and what its memory and its streams need no call for. */

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
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

/* The year and month of POSIX.1-2001, to which POSIX.13-2003 refers. */
#define OF_2001 200112L

long sysconf(int name)
{
    switch (name) {
    case _SC_VERSION:
    case _SC_FSYNC:
    case _SC_MEMLOCK:
    case _SC_MEMLOCK_RANGE:
    case _SC_MAPPED_FILES:
    case _SC_SHARED_MEMORY_OBJECTS:
    case _SC_MONOTONIC_CLOCK:
    case _SC_CLOCK_SELECTION:
    case _SC_SYNCHRONIZED_IO:
    case _SC_THREAD_CPUTIME:
        return OF_2001;
    case _SC_PAGESIZE:
        return 4096;
    case _SC_OPEN_MAX:
        return 5;
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN:
        return 1;
    case _SC_ARG_MAX:
    case _SC_CHILD_MAX:
    case _SC_JOB_CONTROL:
    case _SC_SAVED_IDS:
    case _SC_ASYNCHRONOUS_IO:
    case _SC_PRIORITIZED_IO:
    case _SC_MEMORY_PROTECTION:
        return -1;
    }
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
