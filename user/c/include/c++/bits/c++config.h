/* How the headers of the C++ library are configured, which is for the system of the compiler
 * that they came with: what differs in a process of Giornata. */
#ifndef GIORNATA_CXXCONFIG_H
#define GIORNATA_CXXCONFIG_H
#pragma GCC system_header

/* All that its headers call is linked, so nothing is looked for at run time. */
#define GTHREAD_USE_WEAK 0

#include_next <bits/c++config.h>

/* No archive has instances of its templates. */
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0

/* Calls of another kernel, and functions that the C library lacks. */
#undef _GLIBCXX_HAVE_LINUX_FUTEX
#undef _GLIBCXX_HAVE_TIMESPEC_GET
#undef _GLIBCXX_HAVE_QUICK_EXIT
#undef _GLIBCXX_HAVE_AT_QUICK_EXIT
#undef _GLIBCXX_USE_PTHREAD_COND_CLOCKWAIT
#undef _GLIBCXX_USE_PTHREAD_MUTEX_CLOCKLOCK
#undef _GLIBCXX_USE_PTHREAD_RWLOCK_CLOCKLOCK

/* Without `posix = true` there is no C library: what C++ calls freestanding. */
#if !__STDC_HOSTED__
#undef _GLIBCXX_HOSTED
#define _GLIBCXX_HOSTED 0
#undef _GLIBCXX_HAS_GTHREADS
#endif

#endif
