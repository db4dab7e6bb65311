/* Memory that stays where it is. All of a process's memory does, from its start on, so there
 * is nothing to lock: a call returns 0 if its arguments are as they have to be. */
#ifndef GIORNATA_POSIX_SYS_MMAN_H
#define GIORNATA_POSIX_SYS_MMAN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MCL_CURRENT 1
#define MCL_FUTURE 2

/* EINVAL: `how` has no bit or an unknown one. */
int mlockall(int how);
int munlockall(void);
/* ENOMEM: the memory would reach beyond the last address. */
int mlock(const void *from, size_t bytes);
int munlock(const void *from, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
