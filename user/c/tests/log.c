/* gio_logf() writes what snprintf() writes; `log.rs` compiles this for the host. */

#include <assert.h>
#include <giornata.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static char said[1000];
static int texts;

void gio_log(const char *text)
{
    strcpy(said, text);
    texts++;
}

#define SAME(...) \
    do { \
        char expected[1000]; \
        snprintf(expected, sizeof expected, __VA_ARGS__); \
        gio_logf(__VA_ARGS__); \
        if (strcmp(said, expected)) { \
            fprintf(stderr, "line %d: \"%s\" instead of \"%s\"\n", __LINE__, said, expected); \
            failures++; \
        } \
    } while (0)

static int failures;

static void numbers_are_those_of_printf(void)
{
    static const int samples[] = { 0, 1, -1, 7, 42, -900, INT_MAX, INT_MIN };
    static const long long long_samples[] = { 0, -5, 1LL << 40, LLONG_MAX, LLONG_MIN };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        int n = samples[i];
        SAME("%d|%i|%u|%x|%X|%o|%#x|%#o|%#X", n, n, n, n, n, n, n, n, n);
        SAME("%5d|%-5d|%05d|%+d|% d|%+5d|%-+5d|%+05d|", n, n, n, n, n, n, n, n);
        SAME("%.3d|%8.3d|%-8.3d|%.0d|%#8x|%#08x|%08X|", n, n, n, n, n, n, n);
        SAME("%*d|%-*d|%.*d|%*.*d|", 6, n, 6, n, 4, n, -9, 2, n);
        SAME("%hd|%hu|%hhd|%hhu|%hx|%hhx|", (short)n, (unsigned short)n, (signed char)n,
             (unsigned char)n, (unsigned short)n, (unsigned char)n);
        SAME("%zu|%td|%zx|%jd|", (size_t)n, (ptrdiff_t)n, (size_t)n, (intmax_t)n);
    }
    for (size_t i = 0; i < sizeof long_samples / sizeof *long_samples; i++) {
        long long n = long_samples[i];
        SAME("%lld|%llu|%llx|%llo|%ld|%lu|%24lld|%-24llu|%024lld|", n, n, n, n, (long)n,
             (unsigned long)n, n, n, n);
    }
}

static void strings_are_those_of_printf(void)
{
    const char *volatile none = NULL;

    SAME("plain");
    SAME("100%%|%c|%3c|%-3c|", 'x', 'y', 'z');
    SAME("%s|%8s|%-8s|%.2s|%8.2s|%-8.2s|%.*s|%s|", "valve", "valve", "valve", "valve", "valve",
         "valve", 3, "valve", "");
    SAME("%.3s|", (const char[]){ 'a', 'b', 'c' });
    SAME("%p", (void *)0x1234);
    gio_logf("%s", none);
    assert(!strcmp(said, "(null)"));
}

static void a_long_text_is_cut_and_says_so(void)
{
    for (int length = GIO_LOG_LONGEST - 2; length <= GIO_LOG_LONGEST + 300; length++) {
        char text[1000];
        memset(text, 'a', (size_t)length);
        text[length] = 0;
        gio_logf("%s", text);
        if (length <= GIO_LOG_LONGEST) {
            assert(!strcmp(said, text));
            continue;
        }
        assert(strlen(said) == GIO_LOG_LONGEST);
        assert(!strcmp(said + GIO_LOG_LONGEST - 4, "a..."));
    }
    gio_logf("%1000d|%*d|%0999d", 1, INT_MIN + 1, 2, 3);
    assert(strlen(said) == GIO_LOG_LONGEST && !strcmp(said + GIO_LOG_LONGEST - 3, "..."));
}

static void what_is_not_known_is_put_out_as_it_is(void)
{
    gio_logf("at %d: %f of %s", 3, 1.5, "five");
    assert(!strcmp(said, "at 3: %f of %s"));
    const char *volatile broken = "half %";
    gio_logf(broken, 0);
    assert(!strcmp(said, "half %"));
    broken = "half %-3l";
    gio_logf(broken, 0);
    assert(!strcmp(said, "half %-3l"));
}

#undef GIO_LOG_LEVEL
#define GIO_LOG_LEVEL GIO_LOG_WARNING

static int evaluated(void)
{
    failures++;
    return 0;
}

static void a_level_says_its_name_and_one_above_the_highest_costs_nothing(void)
{
    gio_log_error("valve %d", 7);
    assert(!strcmp(said, "error: valve 7"));
    gio_log_warning("level");
    assert(!strcmp(said, "warning: level"));
    texts = 0;
    gio_log_info("%d", evaluated());
    gio_log_debug("%d", evaluated());
    assert(texts == 0);
#undef GIO_LOG_LEVEL
#define GIO_LOG_LEVEL GIO_LOG_DEBUG
    gio_log_info("x");
    assert(!strcmp(said, "info: x"));
    gio_log_debug("x");
    assert(!strcmp(said, "debug: x"));
}

int main(void)
{
    numbers_are_those_of_printf();
    strings_are_those_of_printf();
    a_long_text_is_cut_and_says_so();
    what_is_not_known_is_put_out_as_it_is();
    a_level_says_its_name_and_one_above_the_highest_costs_nothing();
    return failures != 0;
}
