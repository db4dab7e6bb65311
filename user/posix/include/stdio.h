/* <stdio.h> of picolibc, and what POSIX adds to it (POSIX_FILE_LOCKING). */
#ifndef GIORNATA_POSIX_STDIO_H
#define GIORNATA_POSIX_STDIO_H

#include_next <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a lock that its thread may take several times. A function that writes to a stream keeps
 * its lock until it returns. Blocks; ftrylockfile() returns 0 or the number of an error. */
void flockfile(FILE *stream);
int ftrylockfile(FILE *stream);
void funlockfile(FILE *stream);

/* As getc() and so on, which lock no longer than for one byte either. */
int getc_unlocked(FILE *stream);
int getchar_unlocked(void);
int putc_unlocked(int byte, FILE *stream);
int putchar_unlocked(int byte);

#ifdef __cplusplus
}
#endif

#endif
