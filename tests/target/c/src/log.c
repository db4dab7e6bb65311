/* Formatted log: conversions, levels, and what is too long or not known. */

#include <giornata.h>

void tell(void);
void finish(void);

static void numbers(void)
{
    int level = -7;
    unsigned word = 0xBEEF;
    gio_logf("%d %i %u %x %X %c %s %%", level, 42, word, word, word, 'v', "valve");
    gio_logf("[%5d] [%-5d] [%05d] [%+d] [%.3d] [%#x]", level, level, level, 42, 5, word);
    gio_logf("[%8s] [%-8s] [%.2s] [%*d]", "valve", "valve", "valve", 4, 7);
    gio_logf("%hhd %hd %ld %lu %zu", (signed char)-1, (short)-300, -70000L, 70000UL, (size_t)9);
    gio_logf("%lld %llu %016llx", -9000000000000000000LL, 18000000000000000000ULL,
             0x123456789ABCDEFULL);
    gio_logf("%p", (void *)0x1000);
}

static void levels(void)
{
    gio_log_error("valve %d stuck", 3);
    gio_log_warning("level %d mm", 900);
    gio_log_info("pump on");
    gio_log_debug("%s", "opening 400");
}

/* 50 bytes four times fit, and no more. */
static void lengths(void)
{
    static const char fifty[] = "12345678901234567890123456789012345678901234567890";
    gio_logf("%s%s%s%s", fifty, fifty, fifty, fifty);
    gio_logf("%s%s%s%s!", fifty, fifty, fifty, fifty);
}

static void unknown(void)
{
    gio_logf("%d, then %f and %d", 1, 2.5, 3);
    const char *volatile none = NULL;
    gio_logf("%s", none);
}

void tell(void)
{
    numbers();
    levels();
    lengths();
    unknown();
}

void finish(void)
{
    gio_sleep_until(50 * GIO_MILLISECOND);
    gio_logf("%d", gio_shutdown(0));
}
