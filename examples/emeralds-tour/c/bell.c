/* A device that rings: a thread waits for its interrupt, then a routine runs at each.
 * Which device that is, the system file leaves to the board. */

#include "show.h"
#include <identifiers.h>

void bell(void);

static volatile uint32_t *registers;

#ifdef DEVICE_BELL_RTC

/* QEMU's clock: it counts ns, and has one alarm. */
enum { LINE = INTERRUPT_RTC };
enum { TIME_LOW = 0, TIME_HIGH, ALARM_LOW, ALARM_HIGH, ENABLED, QUIET = 7 };

static void ring_soon(void)
{
    uint64_t low = registers[TIME_LOW]; /* this holds the high half */
    uint64_t ring = ((uint64_t)registers[TIME_HIGH] << 32 | low) + 100 * GIO_MICROSECOND;
    registers[ENABLED] = 1;
    registers[ALARM_HIGH] = (uint32_t)(ring >> 32);
    registers[ALARM_LOW] = (uint32_t)ring;
}

static void be_quiet(void)
{
    registers[QUIET] = 1;
}

#else

/* The chips' generator: it rings so many cycles after it is told. */
enum { LINE = INTERRUPT_GENERATOR };
enum { RING, QUIET };

static void ring_soon(void)
{
    registers[RING] = 10000;
}

static void be_quiet(void)
{
    registers[QUIET] = 0;
    (void)registers[RING]; /* the line is down when this has come back */
}

#endif

/* Rings three times, and tells the guide. */
static void ring(void *count)
{
    static const char *const texts[] = { "ring 1", "ring 2", "ring 3" };
    unsigned *rings = count;
    be_quiet();
    gio_log(texts[*rings]);
    if (++*rings < 3)
        ring_soon();
    else
        msg_send_words(MAILBOX_REPLIES, 0, (uint32_t[4]){ *rings });
}

static unsigned rings;
static const struct gio_isr isr = { LINE, ring, &rings };

void bell(void)
{
    registers = map_device(0);
    gio_log(map_device(1) ? "two devices" : "one device");
    show(gio_await_interrupt(LINE + 1), GIO_EPERM, "an interrupt that is not granted: EPERM");

    ring_soon();
    show(gio_await_interrupt(LINE), GIO_DONE, "has waited for it");
    be_quiet();

    ring_soon();
    start_timer(GIO_MILLISECOND);
    show(gio_await_interrupt(LINE), GIO_DONE, "it came before the call, and counts");
    be_quiet();

    show(set_isr(&isr, 40, NULL), GIO_DONE, "a routine at each, by a thread of 40");
    show(gio_await_interrupt(LINE), GIO_EBUSY, "awaited by two: EBUSY");
    ring_soon();
}
