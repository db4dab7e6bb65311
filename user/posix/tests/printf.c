/* runtime/printf.c on the host, with long double of 128 bits, against the host's own
 * conversions: random numbers and formats; how many, the command line says. */

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On x86-64, whose long double has 80 bits otherwise, gcc's own library converts. */
#ifdef __x86_64__
int quadmath_snprintf(char *text, size_t size, const char *format, ...);
#define EXPECT quadmath_snprintf
#define LETTER "Q"
#else
#define EXPECT snprintf
#define LETTER "L"
#endif

#define __real_vfprintf vfprintf
#include "../runtime/printf.c"

static int print_to(char *text, size_t size, const char *format, ...)
{
    va_list list;
    FILE *stream = fmemopen(text, size, "w");
    va_start(list, format);
    int count = __wrap_vfprintf(stream, format, list);
    va_end(list);
    fclose(stream);
    return count;
}

static uint64_t state = 1;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

/* Any number; or one with few digits or bits, whose last digits are often fives. */
static long double any(void)
{
    union {
        uint32_t words[4];
        long double value;
    } is;
    for (int i = 0; i < 4; i++)
        is.words[i] = draw(65536) << 16 | draw(65536);
    switch (draw(4)) {
    case 0:
        return is.value;
    case 1:
        is.words[3] = (is.words[3] & 0x8000FFFF) | (0x3FFFu - 100 + draw(200)) << 16;
        return is.value;
    case 2:
        return (long double)draw(100000) / (long double)(1u << draw(20)) * (draw(2) ? 1 : -1);
    default:
        return (long double)draw(1000000) / 1000;
    }
}

static int failures;

static void compare(const char *flags, long double value)
{
    static char found[20000], expected[20000];
    char format[40], reference[40];
    char kind = "aAeEfFgG"[draw(8)];
    char size[20] = "";
    if (draw(2))
        sprintf(size, "%u", draw(40));
    if (draw(2))
        sprintf(size + strlen(size), ".%u", draw(8) == 0 ? draw(60) : draw(12));
    sprintf(format, "%%%s%sL%c", flags, size, kind);
    sprintf(reference, "%%%s%s" LETTER "%c", flags, size, kind);
    EXPECT(expected, sizeof expected, reference, value);
    int count = print_to(found, sizeof found, format, value);
    if ((strcmp(found, expected) != 0 || count != (int)strlen(expected)) && failures++ < 10)
        fprintf(stderr, "%s: <%s>\n  expected <%s>\n", format, found, expected);
}

static void check(const char *found, const char *expected)
{
    if (strcmp(found, expected) != 0 && failures++ < 10)
        fprintf(stderr, "%s\n  expected %s\n", found, expected);
}

int main(int count, char **words)
{
    const char *flags[] = { "", "-", "+", " ", "0", "#", "-+", "0#", "+0", "#-" };
    char text[200];
    for (long i = strtol(count > 1 ? words[1] : "20000", NULL, 10); i > 0; i--)
        compare(flags[draw(10)], any());
    for (unsigned i = 0; i < 10; i++) {
        compare(flags[i], 0.0L);
        compare(flags[i], -0.0L);
        compare(flags[i], __builtin_infl());
        compare(flags[i], -__builtin_infl());
    }

    /* what else is in such a format, and what comes behind a number */
    int at = -1;
    signed char small = -1;
    long long large = -1;
    print_to(text, sizeof text, "%s %.2Lf %5d%n|%-6.3f|%c%hhn %lld %%%lln %*d %p", "a", 2.5L, 7, &at,
             3.25, 'x', &small, -5LL, &large, -4, 9, (void *)0x10);
    check(text, "a 2.50     7|3.250 |x -5 % 9    0x10");
    if (at != 12 || small != 21 || large != 26) {
        fprintf(stderr, "%d %d %lld\n", at, small, large);
        failures++;
    }
    print_to(text, sizeof text, "%Lf %j %d", 1.0L, 1);
    check(text, "1.000000 %j %d");
    return failures != 0;
}
