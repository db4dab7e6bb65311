/* Times as numbers: nanoseconds of a clock. */
#ifndef NANOSECONDS_H
#define NANOSECONDS_H

#include <time.h>

static inline long long now(clockid_t clock)
{
    struct timespec time = { 0 };
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static inline struct timespec at(long long nanoseconds)
{
    return (struct timespec){ .tv_sec = nanoseconds / 1000000000,
                              .tv_nsec = nanoseconds % 1000000000 };
}

#endif
