/* <stdio.h> of picolibc, and what POSIX adds to it (POSIX_FILE_LOCKING). */
#ifndef GIORNATA_POSIX_STDIO_H
#define GIORNATA_POSIX_STDIO_H

#include_next <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As getc() and so on, which lock no longer than for one byte either. */
int getc_unlocked(FILE *stream);
int getchar_unlocked(void);
int putc_unlocked(int byte, FILE *stream);
int putchar_unlocked(int byte);

#ifdef __cplusplus
}
#endif

#endif
