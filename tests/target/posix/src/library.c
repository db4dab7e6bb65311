/* What the C library promises to threads: their own errno, memory that they share, output
 * by lines, and the clocks. */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void other(void);

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void strings(void)
{
    char text[64];
    snprintf(text, sizeof text, "%s %05d %-4x| %.3f %" PRIu64, "formatted", -42, 0xbeef, 3.14159,
             UINT64_C(18446744073709551615));
    puts(text);
    char *rest = NULL;
    char list[] = "one,two,,three";
    for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        printf("[%s]", word);
    printf("\n%.6f %ld %d %c\n", strtod("2.5e-1x", &rest), strtol("0x1F", NULL, 0), *rest,
           toupper('q'));
    int a = 0, b = 0;
    printf("%d fields: ", sscanf("17 and 4", "%d and %d", &a, &b));
    printf("%d\n", a + b);
    int numbers[] = { 9, -3, 7, 0, 5 };
    qsort(numbers, 5, sizeof *numbers, compare);
    for (int i = 0; i < 5; i++)
        printf("%d ", numbers[i]);
    printf("root %.4f\n", sqrt(2.0));
}

static void memory(void)
{
    char *first = malloc(1000);
    char *second = calloc(10, 100);
    printf("memory %d %d, zero %d\n", first != NULL, second != NULL, second[999]);
    free(first);
    char *again = malloc(900);
    printf("in the place of the first: %d\n", again == first);
    again[899] = 'k';
    again = realloc(again, 2000);
    printf("kept: %c\n", again[899]);
    errno = 0;
    void *much = malloc(1 << 20);
    printf("too much: %d %s\n", much == NULL, strerror(errno));
    free(again);
    free(second);
}

static jmp_buf back;

static void jump(void)
{
    int value = setjmp(back);
    printf("set, then jumped with %d\n", value);
    if (value < 2)
        longjmp(back, value + 1);
}

static void clocks(void)
{
    struct timespec before, after, tick;
    clock_getres(CLOCK_MONOTONIC, &tick);
    clock_gettime(CLOCK_MONOTONIC, &before);
    struct timespec half = { .tv_nsec = 5000000 };
    printf("sleeps: %d\n", nanosleep(&half, NULL));
    clock_gettime(CLOCK_MONOTONIC, &after);
    int64_t took = (int64_t)(after.tv_sec - before.tv_sec) * 1000000000
                   + (after.tv_nsec - before.tv_nsec);
    printf("5 ms, not less: %d, nor much more: %d\n", took >= 5000000, took < 6000000);
    printf("a tick is within a microsecond: %d\n", tick.tv_sec == 0 && tick.tv_nsec <= 1000);
    struct timespec instant = { .tv_nsec = 20000000 };
    printf("sleeps: %d\n", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &instant, NULL));
    time_t today = time(NULL);
    char date[20];
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", gmtime(&today));
    printf("it is %s\n", date);
    printf("in the past: %d\n", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &instant, NULL));
    instant.tv_nsec = 1000000000;
    printf("no instant: %d %d\n",
           clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &instant, NULL) == EINVAL,
           nanosleep(&instant, NULL));
    printf("because of %s\n", strerror(errno));
    printf("no clock: %d\n", clock_gettime((clockid_t)77, &after));
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    printf("has run less than a second: %d\n", after.tv_sec == 0 && after.tv_nsec > 0);
    time_t day = 86400 * 365;
    struct tm broken;
    char text[40];
    strftime(text, sizeof text, "%Y-%m-%d %H:%M", gmtime_r(&day, &broken));
    puts(text);
}

static void files(void)
{
    printf("no file: %d", open("/etc/passwd", O_RDONLY));
    printf(" %s\n", strerror(errno));
    int null = open("/dev/null", O_WRONLY);
    printf("into nothing: %d\n", (int)write(null, "abc", 3));
    printf("not open: %d\n", (int)write(77, "abc", 3));
    char byte;
    printf("nothing to read: %d, %d\n", (int)read(0, &byte, 1), getchar() == EOF);
    fprintf(stderr, "an error without an end");
    fflush(stderr);
    fprintf(stderr, "another\n");
    FILE *console = fopen("/dev/console", "w");
    fprintf(console, "by a stream of its own\n");
    fclose(console);
}

/* More urgent: it looks at its own errno while main() has another. */
void other(void)
{
    errno = 7;
    struct timespec until = { .tv_nsec = 30000000 };
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    printf("the other's errno: %d\n", errno);
}

int main(int count, char **words)
{
    printf("%d arguments, %s\n", count, words[0] ? words[0] : "no name");
    errno = 3;
    strings();
    memory();
    jump();
    clocks();
    files();
    printf("priorities %d to %d\n", sched_get_priority_min(SCHED_FIFO),
           sched_get_priority_max(SCHED_FIFO));
    errno = 5;
    struct timespec until = { .tv_nsec = 40000000 };
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    printf("errno of main: %d\n", errno);
    printf("a line without an end");
    return 0;
}
