/* Semaphores and condition variables: who goes before whom, what is refused. */

#include "say.h"
#include <identifiers.h>

void low(void);
void middle(void);
void high(void);
void stranger(void);

static unsigned filled;

/* Has the mutex while the most urgent thread comes for it. */
void low(void)
{
    say("low has it", sem_lock(MUTEX_BUS));
    sleep_until(1);
    work(3);
    say("low gives it back", sem_unlock(MUTEX_BUS));
    say("low gives back what it does not have", sem_unlock(MUTEX_BUS));
    gio_log("low is done");
    sleep_until(12);
    say("low takes the mutex", sem_lock(MUTEX_BUS));
    filled = 1;
    say("low signals", cv_signal(CONDITION_CHANGE));
    say("low gives it back", sem_unlock(MUTEX_BUS));
    say("nobody is signalled", cv_signal(CONDITION_CHANGE));
    sleep_until(22);
    say("low deletes what high waits for", sem_delete(SEMAPHORE_SLOTS));
    sleep_until(26);
    say("all are signalled", cv_broadcast(CONDITION_CHANGE));
    say("low deletes the condition", cv_delete(CONDITION_CHANGE));
    say("and signals it", cv_signal(CONDITION_CHANGE));
}

/* Would go before low, but for what low has. */
void middle(void)
{
    sleep_until(2);
    gio_log("middle begins");
    work(1);
    gio_log("middle is done");
    sleep_until(24);
    say("middle takes the mutex", sem_lock(MUTEX_BUS));
    say("middle is signalled", cv_wait(CONDITION_CHANGE, MUTEX_BUS));
    say("middle gives it back", sem_unlock(MUTEX_BUS));
    say("middle takes it along", sem_lock(MUTEX_BUS));
    gio_exit(NULL);
}

/* The mutex and the condition. */
static void wait_for_change(void)
{
    say("high takes the mutex", sem_lock(MUTEX_BUS));
    say("no signal in time", cv_wait_until(CONDITION_CHANGE, MUTEX_BUS, at(11)));
    while (!filled)
        say("high is woken", cv_wait(CONDITION_CHANGE, MUTEX_BUS));
    say("high gives it back", sem_unlock(MUTEX_BUS));
    say("high waits without the mutex", cv_wait(CONDITION_CHANGE, MUTEX_BUS));
}

/* A semaphore that counts to 2; made anew, it has another id. */
static void count(void)
{
    gio_id fresh = 0, found = 0;
    say("slot", sem_lock(SEMAPHORE_SLOTS));
    say("slot", sem_trylock(SEMAPHORE_SLOTS));
    say("slot in time", sem_lock_until(SEMAPHORE_SLOTS, at(15)));
    say("slot back", sem_unlock(SEMAPHORE_SLOTS));
    say("slot back", sem_unlock(SEMAPHORE_SLOTS));
    say("slot too many", sem_unlock(SEMAPHORE_SLOTS));
    say("made while it is there", sem_create(SEMAPHORE_SLOTS, &fresh));
    sem_lock(SEMAPHORE_SLOTS);
    sem_lock(SEMAPHORE_SLOTS);
    say("slot is deleted", sem_lock(SEMAPHORE_SLOTS));
    say("slot has gone", sem_lock(SEMAPHORE_SLOTS));
    say("opened while it is not there", gio_open(SEMAPHORE_SLOTS, &found));
    say("made anew", sem_create(SEMAPHORE_SLOTS, &fresh));
    say("opened", gio_open(SEMAPHORE_SLOTS, &found));
    say_number("the same id:", fresh == found);
    say_number("the old id:", fresh == SEMAPHORE_SLOTS);
    say("new slot", sem_trylock(fresh));
    say("by the old id", sem_trylock(SEMAPHORE_SLOTS));
}

/* What names nothing, or something else. */
static void wrong(void)
{
    gio_id none = 0;
    say("a mailbox is locked", sem_lock(MAILBOX_ORDERS));
    say("a condition is unlocked", sem_unlock(CONDITION_CHANGE));
    say("a mutex is signalled", cv_signal(MUTEX_BUS));
    say("a semaphore is the mutex of a wait", cv_wait(CONDITION_CHANGE, SEMAPHORE_SLOTS));
    say("a mutex that it has", sem_lock(MUTEX_BUS));
    say("again", sem_lock(MUTEX_BUS));
    say("back", sem_unlock(MUTEX_BUS));
    say("slot 1000 is locked", sem_lock(1000));
    say("slot 1000 is made", sem_create(1000, &none));
    say("slot 100000 is made", sem_create(100000, &none));
    say("a mutex is deleted without a right", sem_delete(MUTEX_BUS));
    say("a condition is made while it is there", cv_create(CONDITION_CHANGE, &none));
}

void high(void)
{
    sleep_until(1);
    say("high tries", sem_trylock(MUTEX_BUS));
    say("high in time", sem_lock_until(MUTEX_BUS, at(2)));
    say("high has it", sem_lock(MUTEX_BUS));
    say("high gives it back", sem_unlock(MUTEX_BUS));
    sleep_until(10);
    wait_for_change();
    sleep_until(13);
    wrong();
    count();
    sleep_until(30);
    gio_id fresh = 0;
    say("the condition is made anew", cv_create(CONDITION_CHANGE, &fresh));
    say("and signalled", cv_signal(fresh));
    say("high has what middle took along", sem_lock(MUTEX_BUS));
    say("high gives it back", sem_unlock(MUTEX_BUS));
}

/* Of a process without rights. */
void stranger(void)
{
    sleep_until(35);
    say("another's mutex", sem_lock(MUTEX_BUS));
    say("another's condition", cv_broadcast(CONDITION_CHANGE));
    say("another's semaphore, made", sem_create(SEMAPHORE_SLOTS, NULL));
    say("another's semaphore, opened", gio_open(SEMAPHORE_SLOTS, NULL));
    say("another's thread", gio_set_priority(THREAD_CREW_FINISH, 1));
    say("the machine", gio_shutdown(0));
}
