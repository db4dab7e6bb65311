/* What only C can say of the C library: its thread-local variable, and its streams, whose
 * type differs from release to release. */

#include <errno.h>
#include <stdio.h>

/* Defined in Rust: src/stream.rs. */
int giornata_posix_put(unsigned char byte, int file);
int giornata_posix_flush(int file);
int giornata_posix_has_stream(FILE *stream);
int giornata_posix_errno(void);
void giornata_posix_set_errno(int number);

int giornata_posix_errno(void)
{
    return errno;
}

void giornata_posix_set_errno(int number)
{
    errno = number;
}

/* A byte of a function that has the lock, or of one that writes no more than it. */
static int put(char byte, FILE *stream, int file)
{
    int is_mine = giornata_posix_has_stream(stream);
    if (!is_mine)
        flockfile(stream);
    int result = giornata_posix_put((unsigned char)byte, file);
    if (!is_mine)
        funlockfile(stream);
    return result;
}

static int put_output(char byte, FILE *stream)
{
    return put(byte, stream, 1);
}

static int put_error(char byte, FILE *stream)
{
    return put(byte, stream, 2);
}

static int flush_output(FILE *stream)
{
    (void)stream;
    return giornata_posix_flush(1);
}

static int flush_errors(FILE *stream)
{
    (void)stream;
    return giornata_posix_flush(2);
}

static int get_nothing(FILE *stream)
{
    (void)stream;
    return _FDEV_EOF;
}

static FILE input = FDEV_SETUP_STREAM(NULL, get_nothing, NULL, _FDEV_SETUP_READ);
static FILE output = FDEV_SETUP_STREAM(put_output, NULL, flush_output, _FDEV_SETUP_WRITE);
static FILE errors = FDEV_SETUP_STREAM(put_error, NULL, flush_errors, _FDEV_SETUP_WRITE);

FILE *const stdin = &input;
FILE *const stdout = &output;
FILE *const stderr = &errors;
