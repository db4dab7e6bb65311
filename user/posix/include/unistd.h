/* <unistd.h> of picolibc, and what POSIX adds to it (POSIX_SINGLE_PROCESS). The options that
 * there are stand in <sys/features.h>. A process sees itself only: getpid() is 1, its parent 0,
 * its group and its session are its own, and its user is 0, who may do what the system file
 * grants. */
#ifndef GIORNATA_POSIX_UNISTD_H
#define GIORNATA_POSIX_UNISTD_H

#include_next <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef _CS_PATH
#define _CS_PATH 0
#endif

/* Stores the text of a configuration value, as far as there is room for it, and returns the
 * bytes that all of it takes; 0: it has none, or with EINVAL in errno: `name` is unknown. */
size_t confstr(int name, char *text, size_t size);

int fdatasync(int file);

/* Of shared memory objects, see <sys/mman.h>. */
int ftruncate(int file, off_t bytes);

/* Stores the name of the system, which is on no network: an empty one. EINVAL: no room. */
int gethostname(char *name, size_t size);

#ifdef __cplusplus
}
#endif

#endif
