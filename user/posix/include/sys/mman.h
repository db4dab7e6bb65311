/* Memory by a name (POSIX_MAPPED_FILES, _POSIX_SHARED_MEMORY_OBJECTS), and memory that stays
 * where it is. All of a process's memory does, from its start on, so there is nothing to lock:
 * a call returns 0 if its arguments are as they have to be. */
#ifndef GIORNATA_POSIX_SYS_MMAN_H
#define GIORNATA_POSIX_SYS_MMAN_H

#include <stddef.h>
#include <sys/types.h>

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

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 0x10
#define MAP_FAILED ((void *)-1)

/* Up to 8 objects with names of up to 31 bytes, in 16 descriptors; their memory comes from
 * the heap, when ftruncate() gives them a size. */
int shm_open(const char *name, int how, mode_t mode);
int shm_unlink(const char *name);
/* Where an object lies. ENOTSUP: MAP_PRIVATE, MAP_FIXED. Access is not enforced. */
void *mmap(void *at, size_t bytes, int access, int how, int file, off_t offset);
/* One mapping of the object there is no more, as a whole. */
int munmap(void *from, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
