/* Words for the transcript: what a thread does, what a call answers. */
#ifndef SAY_H
#define SAY_H

#include <giornata.h>

/* Appends to a text that has room for it. */
static inline char *append(char *end, const char *more)
{
    while (*more)
        *end++ = *more++;
    *end = 0;
    return end;
}

static inline char *append_number(char *end, uint64_t number)
{
    char digits[21];
    char *first = digits + 20;
    *first = 0;
    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    return append(end, first);
}

/* "WHAT: GIO_EBUSY" */
static inline void say(const char *what, int answer)
{
    char text[120];
    char *end = append(text, what);
    end = append(end, ": ");
    append(end, gio_error_name(answer));
    gio_log(text);
}

/* "WHAT 7" */
static inline void say_number(const char *what, uint64_t number)
{
    char text[120];
    char *end = append(text, what);
    end = append(end, " ");
    append_number(end, number);
    gio_log(text);
}

/* An instant. */
static inline gio_time at(unsigned milliseconds)
{
    return milliseconds * GIO_MILLISECOND;
}

static inline void sleep_until(unsigned milliseconds)
{
    int answer = gio_sleep_until(at(milliseconds));
    if (answer)
        say("sleep", answer);
}

/* Lets time of the caller's own execution pass. */
static inline void work(unsigned milliseconds)
{
    gio_time start = 0, spent = 0;
    gio_cpu_time(&start);
    do {
        for (volatile int i = 0; i < 1000; i++)
            ;
        gio_cpu_time(&spent);
    } while (spent < start + at(milliseconds));
}

#endif
