/* The functions of ISO C that the profile has, each against what the standard says of it. */

/* (it asks for results that do not fit) */
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#pragma GCC diagnostic ignored "-Wformat-truncation"
#pragma GCC diagnostic ignored "-Walloc-size-larger-than="

#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static void classes(void)
{
    int alnum = 0, blank = 0, cntrl = 0, graph = 0, print = 0, punct = 0, space = 0;
    for (int c = 0; c < 128; c++) {
        alnum += !!isalnum(c);
        blank += !!isblank(c);
        cntrl += !!iscntrl(c);
        graph += !!isgraph(c);
        print += !!isprint(c);
        punct += !!ispunct(c);
        space += !!isspace(c);
        CHECK(!!isalnum(c) == (isalpha(c) || isdigit(c)));
        CHECK(!!isalpha(c) == (isupper(c) || islower(c)));
        CHECK(!!isgraph(c) == (isalnum(c) || ispunct(c)));
    }
    CHECK(alnum == 62 && blank == 2 && cntrl == 33 && graph == 94);
    CHECK(print == 95 && punct == 32 && space == 6);
    CHECK(isxdigit('f') && isxdigit('F') && isxdigit('0') && !isxdigit('g'));
    CHECK(toupper('z') == 'Z' && toupper('1') == '1');
    CHECK(tolower('Z') == 'z' && tolower('[') == '[');
    tell("classes");
}

static void numbers(void)
{
    char *end;
    CHECK(abs(-7) == 7 && labs(-7L) == 7 && llabs(-7LL) == 7 && imaxabs(-7) == 7);
    div_t d = div(-7, 2);
    CHECK(d.quot == -3 && d.rem == -1);
    ldiv_t l = ldiv(-7L, 2L);
    CHECK(l.quot == -3 && l.rem == -1);
    lldiv_t ll = lldiv(-7LL, 2LL);
    CHECK(ll.quot == -3 && ll.rem == -1);
    imaxdiv_t m = imaxdiv(INTMAX_MAX, 10);
    CHECK(m.quot == INTMAX_MAX / 10 && m.rem == 7);
    CHECK(atoi(" -42x") == -42 && atol("+42") == 42 && atoll("9223372036854775807") == LLONG_MAX);
    CHECK(atof("1.5e3") == 1500.0);
    CHECK(strtol("0x7fz", &end, 0) == 127 && *end == 'z');
    CHECK(strtol("077", NULL, 0) == 63 && strtol("zz", NULL, 36) == 1295);
    errno = 0;
    CHECK(strtol("99999999999999999999", NULL, 10) == LONG_MAX && errno == ERANGE);
    errno = 0;
    CHECK(strtoll("-99999999999999999999", NULL, 10) == LLONG_MIN && errno == ERANGE);
    errno = 0;
    CHECK(strtoul("99999999999999999999", NULL, 10) == ULONG_MAX && errno == ERANGE);
    CHECK(strtoull("18446744073709551615", NULL, 10) == ULLONG_MAX);
    CHECK(strtoimax("-1", NULL, 10) == -1 && strtoumax("ff", NULL, 16) == 255);
    CHECK(strtod("-0x1.8p1!", &end) == -3.0 && *end == '!');
    CHECK(isinf(strtod("inf", NULL)) && isnan(strtod("nan", NULL)));
    errno = 0;
    CHECK(strtod("1e999", NULL) == HUGE_VAL && errno == ERANGE);
    CHECK(strtof("0.1", NULL) == 0.1f && strtold("0.5", NULL) == 0.5L);
    CHECK(strtol("none", &end, 10) == 0 && *end == 'n');
    srand(5);
    int first = rand(), second = rand();
    srand(5);
    CHECK(first == rand() && second == rand() && first >= 0 && first != second);
    unsigned seed = 5;
    int own = rand_r(&seed);
    seed = 5;
    CHECK(own == rand_r(&seed) && own >= 0);
    tell("numbers");
}

static int less(const void *a, const void *b)
{
    return *(const short *)a - *(const short *)b;
}

static void strings(void)
{
    char text[40], other[40];
    CHECK(strlen("") == 0 && strlen("four") == 4);
    CHECK(strcpy(text, "one") == text && strcmp(text, "one") == 0);
    CHECK(strcat(text, " two") == text && strcmp(text, "one two") == 0);
    CHECK(strcmp(strncat(text, " three", 2), "one two t") == 0);
    memset(other, '#', sizeof other);
    strncpy(other, "ab", 4);
    CHECK(memcmp(other, "ab\0\0##", 6) == 0);
    CHECK(strcmp("a", "b") < 0 && strcmp("b", "a") > 0 && strncmp("abc", "abd", 2) == 0);
    CHECK(strcmp("\x7f", "\x80") < 0);
    CHECK(strchr("hello", 'l') != NULL && strchr("hello", 'l')[1] == 'l');
    CHECK(*strchr("hello", 0) == 0 && strchr("hello", 'z') == NULL);
    CHECK(strcmp(strrchr("hello", 'l'), "lo") == 0);
    CHECK(strcmp(strstr("finding a thing", "in"), "inding a thing") == 0);
    CHECK(strstr("abc", "z") == NULL && *strstr("abc", "") == 'a');
    CHECK(strspn("aabbc", "ab") == 4 && strcspn("aabbc", "c") == 4);
    CHECK(strcmp(strpbrk("one,two;", ";,"), ",two;") == 0);
    strcpy(text, "-a--b-");
    CHECK(strcmp(strtok(text, "-"), "a") == 0 && strcmp(strtok(NULL, "-"), "b") == 0);
    CHECK(strtok(NULL, "-") == NULL);
    char *rest, list[] = "x y";
    CHECK(strcmp(strtok_r(list, " ", &rest), "x") == 0);
    CHECK(strcmp(strtok_r(NULL, " ", &rest), "y") == 0 && strtok_r(NULL, " ", &rest) == NULL);
    memcpy(text, "0123456789", 11);
    memmove(text + 2, text, 8);
    CHECK(strcmp(text, "0101234567") == 0);
    memmove(text, text + 2, 8);
    CHECK(strcmp(text, "0123456767") == 0);
    CHECK(memchr("abc\0d", 'd', 5) != NULL && memchr("abcd", 'd', 3) == NULL);
    CHECK(memcmp("a\0b", "a\0c", 3) < 0 && memcmp("a\0b", "a\0c", 2) == 0);
    CHECK(strcoll("a", "b") < 0 && strxfrm(other, "abc", 10) == 3 && strcmp(other, "abc") == 0);
    CHECK(strlen(strerror(EINVAL)) > 0 && strcmp(strerror(EINVAL), strerror(ENOMEM)) != 0);
    CHECK(strerror_r(EINVAL, other, sizeof other) == 0 && strcmp(other, strerror(EINVAL)) == 0);
    short all[] = { 5, -1, 9, 5, 0 }, key = 9, none = 7;
    qsort(all, 5, sizeof *all, less);
    CHECK(all[0] == -1 && all[1] == 0 && all[2] == 5 && all[3] == 5 && all[4] == 9);
    CHECK(bsearch(&key, all, 5, sizeof *all, less) == &all[4]);
    CHECK(bsearch(&none, all, 5, sizeof *all, less) == NULL);
    tell("strings");
}

static int all_of(char *text, size_t size, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int bounded = size ? vsnprintf(text, size, format, list) : vsprintf(text, format, list);
    CHECK(va_arg(again, int) == 7);
    va_end(again);
    va_end(list);
    return bounded;
}

static int fields(const char *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = vsscanf(text, format, list);
    va_end(list);
    return count;
}

static void formats(void)
{
    char text[60];
    CHECK(sprintf(text, "%d|%5d|%-5d|%05d|%+d", 7, 7, 7, 7, 7) == 22);
    CHECK(strcmp(text, "7|    7|7    |00007|+7") == 0);
    CHECK(snprintf(text, 4, "%s", "longer") == 6 && strcmp(text, "lon") == 0);
    snprintf(text, sizeof text, "%x %X %#o %c %%", 255, 255, 8, 'c');
    CHECK(strcmp(text, "ff FF 010 c %") == 0);
    snprintf(text, sizeof text, "%lld %hhd %zu %.2s", LLONG_MIN, 257, sizeof(int), "abc");
    CHECK(strcmp(text, "-9223372036854775808 1 4 ab") == 0);
    snprintf(text, sizeof text, "%.3f %e %g %*d", 2.0 / 3, 12345.678, 0.0001, 4, 7);
    CHECK(strcmp(text, "0.667 1.234568e+04 0.0001    7") == 0);
    CHECK(all_of(text, 0, "%d%s", 7, "!") == 2 && strcmp(text, "7!") == 0);
    CHECK(all_of(text, 3, "%d%s", 7, "xyz") == 4 && strcmp(text, "7x") == 0);
    int a = 0, b = 0, count = 0;
    char word[10];
    CHECK(sscanf("12 0x1f word", "%d %i %9s%n", &a, &b, word, &count) == 3);
    CHECK(a == 12 && b == 31 && strcmp(word, "word") == 0 && count == 12);
    CHECK(sscanf("abc:7", "%[a-c]:%d", word, &a) == 2 && strcmp(word, "abc") == 0 && a == 7);
    CHECK(sscanf("x", "%d", &a) == 0 && sscanf("", "%d", &a) == EOF);
    CHECK(fields("3-4", "%d-%d", &a, &b) == 2 && a == 3 && b == 4);
    tell("formats");
}

static void memory(void)
{
    char *block = malloc(100), *zero = calloc(20, 5);
    CHECK(block != NULL && zero != NULL && ((uintptr_t)block & 7) == 0);
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum |= zero[i];
    CHECK(sum == 0);
    memset(block, 'b', 100);
    block = realloc(block, 500);
    CHECK(block != NULL && block[0] == 'b' && block[99] == 'b');
    free(zero);
    free(block);
    free(NULL);
    /* what is given back is taken again */
    for (int i = 0; i < 1000; i++) {
        char *again = malloc(4000);
        if (again == NULL) {
            CHECK(again != NULL);
            break;
        }
        free(again);
    }
    CHECK(calloc((size_t)-1, 2) == NULL);
    tell("memory");
}

static void dates(void)
{
    /* 2004-02-29 12:34:56, a Sunday, the 60th day */
    time_t at = 1078058096;
    struct tm broken, local;
    CHECK(gmtime_r(&at, &broken) == &broken && broken.tm_year == 104 && broken.tm_mon == 1);
    CHECK(broken.tm_mday == 29 && broken.tm_hour == 12 && broken.tm_min == 34);
    CHECK(broken.tm_sec == 56 && broken.tm_wday == 0 && broken.tm_yday == 59);
    CHECK(gmtime(&at)->tm_mday == 29 && localtime(&at)->tm_mday == 29);
    tzset();
    CHECK(strcmp(tzname[0], "GMT") == 0 || strcmp(tzname[0], "UTC") == 0);
    CHECK(localtime_r(&at, &local) == &local && mktime(&local) == at);
    struct tm odd = { .tm_year = 103, .tm_mon = 13, .tm_mday = 29, .tm_hour = 12, .tm_min = 34,
                      .tm_sec = 56 };
    CHECK(mktime(&odd) == at && odd.tm_mon == 1 && odd.tm_wday == 0);
    char text[40];
    CHECK(strcmp(asctime_r(&broken, text), "Sun Feb 29 12:34:56 2004\n") == 0);
    CHECK(strcmp(asctime(&broken), text) == 0 && strcmp(ctime(&at), text) == 0);
    char other[40];
    CHECK(strcmp(ctime_r(&at, other), text) == 0);
    CHECK(strftime(text, sizeof text, "%A %d %B %j %H:%M:%S %p", &broken) == 34);
    CHECK(strcmp(text, "Sunday 29 February 060 12:34:56 PM") == 0);
    CHECK(strftime(text, 3, "%Y", &broken) == 0);
    CHECK(difftime(at, at - 60) == 60.0);
    time_t now = -1;
    /* the day with which the emulated boards begin, and that of boards without a clock */
    CHECK(time(&now) == now && (now == 1767225600 || now == 0));
    tell("dates");
}

static void environment(void)
{
    fenv_t before;
    fexcept_t flags;
    CHECK(feclearexcept(FE_ALL_EXCEPT) == 0 && fetestexcept(FE_ALL_EXCEPT) == 0);
#ifdef __riscv_flen
    CHECK(fegetenv(&before) == 0 && fegetround() == FE_TONEAREST);
    CHECK(fesetround(FE_UPWARD) == 0 && fegetround() == FE_UPWARD);
    CHECK(fesetround(FE_TONEAREST) == 0);
    CHECK(feraiseexcept(FE_INEXACT) == 0 && fetestexcept(FE_INEXACT) == FE_INEXACT);
    CHECK(fegetexceptflag(&flags, FE_INEXACT) == 0);
    CHECK(feholdexcept(&before) == 0 && fetestexcept(FE_ALL_EXCEPT) == 0);
    CHECK(fesetexceptflag(&flags, FE_INEXACT) == 0 && fetestexcept(FE_INEXACT) == FE_INEXACT);
    CHECK(feupdateenv(&before) == 0 && fesetenv(&before) == 0);
#else
    /* without the registers there is nothing to set */
    (void)flags;
    (void)before;
#endif
    CHECK(strcmp(setlocale(LC_ALL, NULL), "C") == 0 && setlocale(LC_ALL, "xx") == NULL);
    CHECK(strcmp(localeconv()->decimal_point, ".") == 0);
    CHECK(getenv("NAME") == NULL && setenv("NAME", "value", 0) == 0);
    CHECK(strcmp(getenv("NAME"), "value") == 0 && setenv("NAME", "other", 0) == 0);
    CHECK(strcmp(getenv("NAME"), "value") == 0 && setenv("NAME", "other", 1) == 0);
    CHECK(strcmp(getenv("NAME"), "other") == 0 && unsetenv("NAME") == 0);
    CHECK(getenv("NAME") == NULL && environ[0] == NULL);
    struct pair {
        char first;
        int second;
    };
    CHECK(offsetof(struct pair, second) == 4);
    tell("environment");
}

static jmp_buf back;

static void leap(int value)
{
    longjmp(back, value);
}

static void jumps(void)
{
    volatile int round = 0;
    int value = setjmp(back);
    round++;
    if (round == 1) {
        CHECK(value == 0);
        leap(0); /* arrives as 1 */
    } else if (round == 2) {
        CHECK(value == 1);
        leap(-5);
    }
    CHECK(round == 3 && value == -5);
    tell("jumps");
}

/* What the compiler may call for them. */
static void integers(void)
{
    volatile unsigned small = 0x01020304;
    volatile unsigned long long wide = 0x0102030405060708;
    CHECK(__builtin_bswap32(small) == 0x04030201);
    CHECK(__builtin_bswap64(wide) == 0x0807060504030201);
    CHECK(__builtin_popcount(small) == 5 && __builtin_popcountll(wide) == 13);
    CHECK(__builtin_parity(small) == 1 && __builtin_parityll(wide) == 1);
    CHECK(__builtin_ffs((int)small) == 3 && __builtin_ffsll((long long)wide << 32) == 36);
    CHECK(__builtin_clz(small) == 7 && __builtin_ctzll(wide) == 3);
    tell("integers");
}

int main(void)
{
    classes();
    numbers();
    strings();
    formats();
    memory();
    dates();
    environment();
    jumps();
    integers();
    return 0;
}
