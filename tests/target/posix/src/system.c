/* Devices, streams and what the system says of itself. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static void devices(void)
{
    errno = 0;
    CHECK(open("/none", O_RDONLY) == -1 && errno == ENOENT);
    int null = open("/dev/null", O_RDWR), console = open("/dev/console", O_WRONLY);
    CHECK(null > 2 && console > 2 && null != console);
    char byte = 'x';
    CHECK(write(null, "abc", 3) == 3 && read(null, &byte, 1) == 0 && byte == 'x');
    CHECK(write(console, "by write()\n", 11) == 11);
    CHECK(write(1, "a line ", 7) == 7 && write(1, "in two parts\n", 13) == 13);
    CHECK(write(console, "", 0) == 0);
    errno = 0;
    CHECK(write(77, "abc", 3) == -1 && errno == EBADF);
    errno = 0;
    CHECK(read(-1, &byte, 1) == -1 && errno == EBADF);
    CHECK(fsync(console) == 0 && fdatasync(1) == 0 && close(null) == 0 && close(console) == 0);
    errno = 0;
    CHECK(fsync(77) == -1 && errno == EBADF);
    errno = 0;
    CHECK(close(77) == -1 && errno == EBADF);
    tell("devices");
}

/* By lists of arguments: how many characters and fields. */
static int lists(FILE *out, FILE *in, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int written = vfprintf(out, format, list);
    va_end(list);
    va_start(list, format);
    CHECK(vfscanf(in, "%d", list) == EOF && vscanf("%d", list) == EOF);
    va_end(list);
    va_start(list, format);
    CHECK(vprintf(format, list) == written);
    va_end(list);
    return written;
}

static void streams(void)
{
    errno = 0;
    CHECK(fopen("/none", "r") == NULL && errno == ENOENT);
    FILE *null = fopen("/dev/null", "w+");
    CHECK(null != NULL && fileno(null) > 2);
    CHECK(fprintf(null, "%d", 12345) == 5 && fputs("text", null) >= 0 && fputc('c', null) == 'c');
    CHECK(putc('c', null) == 'c' && putc_unlocked('c', null) == 'c');
    CHECK(fwrite("four", 2, 2, null) == 2 && fflush(null) == 0 && !ferror(null));
    CHECK(fclose(null) == 0);
    FILE *empty = fopen("/dev/null", "r");
    char text[10], *line = text;
    CHECK(fgetc(empty) == EOF && feof(empty) && !ferror(empty));
    clearerr(empty);
    CHECK(!feof(empty) && getc(empty) == EOF && getc_unlocked(empty) == EOF);
    CHECK(fgets(line, sizeof text, empty) == NULL && fread(text, 1, 4, empty) == 0);
    clearerr(empty);
    CHECK(ungetc('u', empty) == 'u' && fgetc(empty) == 'u');
    int number = 7;
    CHECK(fscanf(empty, "%d", &number) == EOF && number == 7);
    CHECK(lists(stdout, empty, "by a list: %d\n", 7) == 13);
    CHECK(gets(text) == NULL);
    setbuf(empty, NULL);
    CHECK(fclose(empty) == 0);
    FILE *console = fdopen(open("/dev/console", O_WRONLY), "w");
    CHECK(console != NULL && setvbuf(console, NULL, _IONBF, 0) == 0);
    CHECK(fputs("by a stream without a buffer\n", console) >= 0);
    CHECK(freopen("/dev/null", "w", console) != NULL && fputs("gone\n", console) >= 0);
    CHECK(fclose(console) == 0);
    CHECK(getchar() == EOF && getchar_unlocked() == EOF && feof(stdin));
    CHECK(putchar('p') == 'p' && putchar_unlocked('q') == 'q' && puts(" put") >= 0);
    CHECK(scanf("%d", &number) == EOF);
    errno = ENOMEM;
    perror("perror");
    tell("streams");
}

static void answers(void)
{
    struct utsname name;
    CHECK(uname(&name) == 0 && strcmp(name.sysname, "giornata") == 0);
    CHECK(strncmp(name.machine, "riscv", 5) == 0 && name.nodename[0] == 0);
    CHECK(sysconf(_SC_MONOTONIC_CLOCK) >= 200112L && sysconf(_SC_NPROCESSORS_ONLN) == 1);
    CHECK(sysconf(_SC_PAGESIZE) == 4096 && sysconf(_SC_OPEN_MAX) == OPEN_MAX);
    errno = 0;
    CHECK(sysconf(_SC_CHILD_MAX) == -1 && errno == 0);
    CHECK(sysconf(-7) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(confstr(_CS_PATH, NULL, 0) == 0 && errno == 0);
    CHECK(confstr(77, NULL, 0) == 0 && errno == EINVAL);
    CHECK(mlockall(MCL_CURRENT | MCL_FUTURE) == 0 && munlockall() == 0);
    errno = 0;
    CHECK(mlockall(0) == -1 && errno == EINVAL);
    CHECK(mlock(&name, sizeof name) == 0 && munlock(&name, sizeof name) == 0);
    errno = 0;
    CHECK(mlock(&name, (size_t)-1) == -1 && errno == ENOMEM);
    tell("answers");
}

static void clocks(void)
{
    struct timespec now, tick, past = { .tv_nsec = -1 };
    CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0 && clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
    CHECK(clock_getres(CLOCK_REALTIME, &tick) == 0 && clock_getres(CLOCK_MONOTONIC, NULL) == 0);
    clockid_t own;
    struct timespec all;
    CHECK(clock_getcpuclockid(0, &own) == 0 && own == CLOCK_PROCESS_CPUTIME_ID);
    CHECK(clock_getcpuclockid(77, &own) == ESRCH);
    CHECK(clock_gettime(own, &all) == 0 && clock_getres(own, &tick) == 0);
    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
    /* the process has one thread */
    CHECK(now.tv_sec == all.tv_sec && now.tv_nsec >= all.tv_nsec && all.tv_nsec > 0);
    CHECK(clock_gettime(own, &all) == 0 && now.tv_nsec <= all.tv_nsec);
    CHECK(tick.tv_sec == 0 && tick.tv_nsec > 0 && tick.tv_nsec <= 20000000);
    errno = 0;
    CHECK(clock_getres((clockid_t)77, &tick) == -1 && errno == EINVAL);
    errno = 0;
    CHECK(nanosleep(&past, NULL) == -1 && errno == EINVAL);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &past, NULL) == EINVAL);
    past.tv_nsec = 0;
    past.tv_sec = -1;
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL) == 0);
    CHECK(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &past, NULL) == EINVAL);
    past.tv_sec = 0;
    past.tv_nsec = 1;
    CHECK(nanosleep(&past, NULL) == 0);
    tell("clocks");
}

int main(void)
{
    devices();
    streams();
    answers();
    clocks();
    return 0;
}
