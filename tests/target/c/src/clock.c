/* A driver of the goldfish real-time clock, routines for interrupts and timers. */

#include "say.h"
#include <identifiers.h>

void drive(void);
void stranger(void);

enum { TIME_LOW, TIME_HIGH, ALARM_LOW, ALARM_HIGH, ENABLED, CLEAR = 7 };

static volatile uint32_t *rtc;

static void alarm_in(gio_time delay)
{
    uint64_t now = rtc[TIME_LOW];
    now |= (uint64_t)rtc[TIME_HIGH] << 32;
    now += delay;
    rtc[ENABLED] = 1;
    rtc[ALARM_HIGH] = (uint32_t)(now >> 32);
    rtc[ALARM_LOW] = (uint32_t)now;
}

static void ring(void *argument)
{
    unsigned *times = argument;
    rtc[CLEAR] = 1;
    say_number("rings", ++*times);
    if (*times < 3)
        alarm_in(2 * GIO_MILLISECOND);
}

/* Three times, 2 ms after the instant before, although it takes 1 ms. */
static gio_time tick(void *argument)
{
    unsigned *left = argument;
    say_number("ticks at", gio_clock() / GIO_MILLISECOND);
    work(1);
    return --*left ? 2 * GIO_MILLISECOND : 0;
}

void drive(void)
{
    static unsigned times, left = 3;
    static const struct gio_isr isr = { INTERRUPT_RTC, ring, &times };
    static struct gio_timer timer = { tick, &left, 0 };
    gio_id ringer = 0, second = 0, ticker = 0;
    void *value = NULL;

    rtc = map_device(0);
    say_number("mapped where the builder says:", (uintptr_t)rtc == DEVICE_CLOCK_RTC);
    say_number("no second device:", map_device(1) == NULL);
    say("too urgent", set_isr(&isr, 101, &ringer));
    say("routine", set_isr(&isr, 80, &ringer));
    say("a second one", set_isr(&isr, 80, &second));
    say("ends", join_thread(second, &value));
    say("with", (int)(uintptr_t)value);
    alarm_in(2 * GIO_MILLISECOND);
    sleep_until(10);
    say("timer", start_timer_isr(&timer, 2 * GIO_MILLISECOND, 80, &ticker));
    say("ends", join_thread(ticker, &value));
    say("with", (int)(uintptr_t)value);
    say("another's line", gio_await_interrupt(INTERRUPT_RTC));
    say("no line", gio_await_interrupt(1000));
}

void stranger(void)
{
    say("without a right", gio_await_interrupt(INTERRUPT_RTC));
    say_number("without a device:", map_device(0) == NULL);
}
