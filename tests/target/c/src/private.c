/* A mutex and a semaphore that are taken without a call while nobody waits. */

#include "say.h"
#include <identifiers.h>

void low(void);
void middle(void);
void high(void);
void fill(void);

static struct gio_private_mutex bus = GIO_PRIVATE_MUTEX(MUTEX_BUS);
static struct gio_private_semaphore slots = GIO_PRIVATE_SEMAPHORE(SEMAPHORE_SLOTS, 2);

void low(void)
{
    say("low has it", gio_private_mutex_lock(&bus));
    sleep_until(1);
    work(3);
    say("low gives it back", gio_private_mutex_unlock(&bus));
    gio_log("low is done");
}

void middle(void)
{
    sleep_until(2);
    gio_log("middle begins");
    work(1);
    gio_log("middle is done");
}

void high(void)
{
    sleep_until(1);
    say("high tries", gio_private_mutex_trylock(&bus));
    say("high in time", gio_private_mutex_lock_until(&bus, at(2)));
    say("high has it", gio_private_mutex_lock(&bus));
    say("no signal in time", cv_wait_private(CONDITION_CHANGE, &bus, at(10)));
    say("high gives it back", gio_private_mutex_unlock(&bus));
    say("and again", gio_private_mutex_unlock(&bus));
    say("slot", gio_private_semaphore_lock(&slots));
    say("slot", gio_private_semaphore_trylock(&slots));
    say("slot", gio_private_semaphore_trylock(&slots));
    say("slot in time", gio_private_semaphore_lock_until(&slots, at(12)));
    say("slot", gio_private_semaphore_lock(&slots));
    gio_time start = 0, end = 0;
    gio_cpu_time(&start);
    for (int i = 0; i < 100; i++) {
        gio_private_mutex_lock(&bus);
        gio_private_mutex_unlock(&bus);
    }
    gio_cpu_time(&end);
    say_number("a lock and unlock below 200 instructions:", end - start < 100 * 200);
}

void fill(void)
{
    sleep_until(15);
    say("fill", gio_private_semaphore_unlock(&slots));
}
