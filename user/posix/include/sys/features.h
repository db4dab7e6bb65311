/* <sys/features.h> of picolibc, which all of its headers include, and the options of POSIX that
 * there are: what <unistd.h> says of them has to be known to <time.h> and <sched.h>, too.
 *
 * POSIX.13 names the options of its profiles; their values are of POSIX.1-2008, of which this
 * is a subprofile. An option whose value is 0 has its headers and its functions, and sysconf()
 * tells whether the kernel of the system has what it needs: those are of the configuration
 * `pse51` (and of `all-posix`). An option that is not defined there is not. */
#ifndef GIORNATA_POSIX_SYS_FEATURES_H
#define GIORNATA_POSIX_SYS_FEATURES_H

#include_next <sys/features.h>

#define _POSIX_VERSION 200809L
#define _POSIX_SUBPROFILE 1

/* With any kernel. */
#define _POSIX_CLOCK_SELECTION 200809L
#define _POSIX_FSYNC 200809L
#define _POSIX_MAPPED_FILES 200809L
#define _POSIX_MEMLOCK 200809L
#define _POSIX_MEMLOCK_RANGE 200809L
#define _POSIX_MONOTONIC_CLOCK 200809L
#define _POSIX_NO_TRUNC 1
#define _POSIX_PRIORITY_SCHEDULING 200809L
#define _POSIX_SHARED_MEMORY_OBJECTS 200809L
#define _POSIX_SYNCHRONIZED_IO 200809L
#define _POSIX_THREADS 200809L
#define _POSIX_THREAD_ATTR_STACKADDR 200809L
#define _POSIX_THREAD_ATTR_STACKSIZE 200809L
#define _POSIX_THREAD_CPUTIME 200809L
#define _POSIX_THREAD_PRIORITY_SCHEDULING 200809L
#define _POSIX_THREAD_SAFE_FUNCTIONS 200809L

/* Where threads wait, are interrupted for signals, or have policies. (The builder says which
 * kernel there is.) */
#if defined(__GIORNATA_PSE51)
#define _POSIX_AEP_REALTIME_MINIMAL 200312L
#define __GIORNATA_OPTION 200809L
#else
#define __GIORNATA_OPTION 0
#endif
#define _POSIX_BARRIERS __GIORNATA_OPTION
#define _POSIX_CPUTIME __GIORNATA_OPTION
#define _POSIX_MESSAGE_PASSING __GIORNATA_OPTION
#define _POSIX_READER_WRITER_LOCKS __GIORNATA_OPTION
#define _POSIX_REALTIME_SIGNALS __GIORNATA_OPTION
#define _POSIX_SEMAPHORES __GIORNATA_OPTION
#define _POSIX_SPIN_LOCKS __GIORNATA_OPTION
#define _POSIX_SPORADIC_SERVER __GIORNATA_OPTION
#define _POSIX_THREAD_PRIO_INHERIT __GIORNATA_OPTION
#define _POSIX_THREAD_PRIO_PROTECT __GIORNATA_OPTION
#define _POSIX_THREAD_ROBUST_PRIO_INHERIT __GIORNATA_OPTION
#define _POSIX_THREAD_ROBUST_PRIO_PROTECT __GIORNATA_OPTION
#define _POSIX_THREAD_SPORADIC_SERVER __GIORNATA_OPTION
#define _POSIX_TIMEOUTS __GIORNATA_OPTION
#define _POSIX_TIMERS __GIORNATA_OPTION

#endif
