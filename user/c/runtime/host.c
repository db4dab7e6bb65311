/* What tests on the host find instead of the kernel: `giornata test` links it with each
 * test in C. A test that wants to see what is logged defines gio_log() itself. */

#include <stdio.h>
#include <stdlib.h>

void gio_log(const char *text);
_Noreturn void gio_fail(const char *text, const char *file, int line);

__attribute__((weak)) void gio_log(const char *text)
{
    puts(text);
    /* (a test that ends by a signal says nothing more) */
    fflush(stdout);
}

__attribute__((weak)) _Noreturn void gio_fail(const char *text, const char *file, int line)
{
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
    abort();
}
