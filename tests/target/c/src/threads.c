/* A thread creates others, joins them, and lets one go. */

#include "say.h"

void lead(void);
void first(void);
void second(void);

static void *twice(void *argument)
{
    uintptr_t number = (uintptr_t)argument;
    say_number("doubles", number);
    return (void *)(2 * number);
}

static void *dally(void *argument)
{
    gio_log("dallies");
    say("has dallied", start_timer((uintptr_t)argument));
    gio_exit(argument);
}

static void *join_itself(void *argument)
{
    gio_id own = 0;
    gio_own(&own);
    say("the caller", join_thread(own, NULL));
    return argument;
}

/* More than registers carry: the compiler calls memcpy and memset. */
struct table {
    uint64_t cell[40];
};

static struct table squares = { { 1, 4, 9 } };

static uint64_t sum(struct table table)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < 40; i++)
        total += table.cell[i];
    return total;
}

static void numbers(volatile uint64_t dividend, volatile double length)
{
    struct table copy = squares;
    struct table empty = { { 0 } };
    copy.cell[39] = dividend;
    say_number("sums", sum(copy));
    say_number("and", sum(empty));
    say_number("quotient", dividend / 1000000007u);
    say_number("rounded down", (uint64_t)(length * 2.5));
}

void lead(void)
{
    gio_id one = 0, two = 0, third = 0, own = 0;
    void *value = NULL;
    say("nothing", gio_null());
    say("too urgent", create_thread(twice, (void *)1, 41, &one));
    say("more than 255", create_thread(twice, (void *)1, 256, &one));
    say("created", create_thread(twice, (void *)7, 30, &one));
    say("created", create_thread(dally, (void *)4000000, 30, &two));
    say("a third", create_thread(twice, (void *)1, 30, NULL));
    say("the first", join_thread(one, &value));
    say_number("ended with", (uintptr_t)value);
    say("once more", join_thread(one, &value));
    say("at once", join_thread_until(two, GIO_AT_ONCE, &value));
    say("in time", join_thread_until(two, at(2), &value));
    say("created", create_thread(twice, (void *)8, 10, &third));
    say_number("in the first's place:", (third & 0xffff) == (one & 0xffff));
    say("it", join_thread(third, NULL));
    say("the second", join_thread(two, &value));
    say_number("ended with", (uintptr_t)value);
    say("created", create_thread(dally, (void *)1000000, 10, &third));
    say("let go", detach_thread(third));
    say("again", detach_thread(third));
    say("no thread", detach_thread(0xffffffff));
    say("not joined", join_thread(third, NULL));
    say("own", gio_own(&own));
    say("one that was not created", join_thread(own, NULL));
    say("created", create_thread(join_itself, NULL, 30, NULL));
    sleep_until(20);
    numbers(9007199254740993u, 10.3);
    say("more urgent", gio_set_priority(own, 41));
    say("beyond all", gio_set_priority(own, 1000));
    say("less urgent than the others", gio_set_priority(own, 4));
    gio_log("lead is done");
}

/* Two of equal urgency. */
void first(void)
{
    sleep_until(30);
    gio_log("first yields");
    gio_yield();
    gio_log("first goes on");
}

void second(void)
{
    sleep_until(30);
    gio_log("second yields");
    gio_yield();
    gio_log("second goes on");
    gio_exit(NULL);
}
