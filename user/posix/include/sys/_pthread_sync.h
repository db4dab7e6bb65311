/* What <pthread.h> has of mutexes, conditions and once: nothing yet. */
#ifndef GIORNATA_POSIX_SYS_PTHREAD_SYNC_H
#define GIORNATA_POSIX_SYS_PTHREAD_SYNC_H

#endif
