/* <limits.h> of picolibc, and the limits of POSIX: what each system has at least, and what this
 * one has. What differs from process to process has no constant: sysconf() tells it. */
#ifndef GIORNATA_POSIX_LIMITS_H
#define GIORNATA_POSIX_LIMITS_H

#include_next <limits.h>

/* What each system has at least. */
#define _POSIX_AIO_LISTIO_MAX 2
#define _POSIX_AIO_MAX 1
#define _POSIX_ARG_MAX 4096
#define _POSIX_CHILD_MAX 25
#define _POSIX_CLOCKRES_MIN 20000000
#define _POSIX_DELAYTIMER_MAX 32
#define _POSIX_HOST_NAME_MAX 255
#define _POSIX_LINK_MAX 8
#define _POSIX_LOGIN_NAME_MAX 9
#define _POSIX_MAX_CANON 255
#define _POSIX_MAX_INPUT 255
#define _POSIX_MQ_OPEN_MAX 8
#define _POSIX_MQ_PRIO_MAX 32
#define _POSIX_NAME_MAX 14
#define _POSIX_NGROUPS_MAX 8
#define _POSIX_OPEN_MAX 20
#define _POSIX_PATH_MAX 256
#define _POSIX_PIPE_BUF 512
#define _POSIX_RE_DUP_MAX 255
#define _POSIX_RTSIG_MAX 8
#define _POSIX_SEM_NSEMS_MAX 256
#define _POSIX_SEM_VALUE_MAX 32767
#define _POSIX_SIGQUEUE_MAX 32
#define _POSIX_SSIZE_MAX 32767
#define _POSIX_SS_REPL_MAX 4
#define _POSIX_STREAM_MAX 8
#define _POSIX_SYMLINK_MAX 255
#define _POSIX_SYMLOOP_MAX 8
#define _POSIX_THREAD_DESTRUCTOR_ITERATIONS 4
#define _POSIX_THREAD_KEYS_MAX 128
#define _POSIX_THREAD_THREADS_MAX 64
#define _POSIX_TIMER_MAX 32
#define _POSIX_TTY_NAME_MAX 9
#define _POSIX_TZNAME_MAX 6

/* What this one has. */
#undef NAME_MAX
#define NAME_MAX 30 /* of semaphores, queues and shared memory, behind the `/` */
#undef OPEN_MAX
#define OPEN_MAX 21 /* the streams, the devices, and 16 of shared memory objects */
#ifndef SSIZE_MAX
#define SSIZE_MAX LONG_MAX
#endif
#define ATEXIT_MAX 32
#define DELAYTIMER_MAX 2147483647
#ifndef MQ_OPEN_MAX
#define MQ_OPEN_MAX 16
#endif
#ifndef MQ_PRIO_MAX
#define MQ_PRIO_MAX 32
#endif
#ifndef PAGESIZE
#define PAGESIZE 4096
#endif
#ifndef PTHREAD_DESTRUCTOR_ITERATIONS
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#endif
#ifndef PTHREAD_KEYS_MAX
#define PTHREAD_KEYS_MAX 128
#endif
#ifndef PTHREAD_STACK_MIN
#define PTHREAD_STACK_MIN 1024
#endif
#ifndef RTSIG_MAX
#define RTSIG_MAX 32
#endif
#ifndef SEM_NSEMS_MAX
#define SEM_NSEMS_MAX 256
#endif
#ifndef SEM_VALUE_MAX
#define SEM_VALUE_MAX 32767
#endif
#ifndef SIGQUEUE_MAX
#define SIGQUEUE_MAX 32
#endif
#ifndef SS_REPL_MAX
#define SS_REPL_MAX 4
#endif
#ifndef STREAM_MAX
#define STREAM_MAX 20
#endif
#ifndef TIMER_MAX
#define TIMER_MAX 32
#endif
#ifndef TZNAME_MAX
#define TZNAME_MAX 10
#endif

#endif
