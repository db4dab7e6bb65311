/* <time.h> of picolibc, and what C11 adds to it. */
#ifndef GIORNATA_POSIX_TIME_H
#define GIORNATA_POSIX_TIME_H

#include_next <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CLOCK_REALTIME. */
#define TIME_UTC 1

/* Returns `base`, or 0 if that is another than TIME_UTC. */
int timespec_get(struct timespec *time, int base);

#ifdef __cplusplus
}
#endif

#endif
