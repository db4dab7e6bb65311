/* The mutex that a thread takes after a wait, told before: whether the thread goes on
 * before it has it. */

#include "say.h"
#include <identifiers.h>

void low(void);
void middle(void);
void high(void);

/* What high does with the mutex. */
static void use(int answer)
{
    say("high has the mutex", answer);
    say("high gives it back", sem_unlock(MUTEX_BUS));
}

/* Waits, tells what that answered, and locks. */
static void lock_plainly(void)
{
    say("high goes on", sem_lock(SEMAPHORE_READY));
    use(sem_lock(MUTEX_BUS));
}

static void lock_told_of(gio_id mutex)
{
    gio_tell_next_lock(mutex);
    say("high goes on", sem_lock(SEMAPHORE_READY));
    use(sem_lock_told(MUTEX_BUS));
}

/* Other waits than that for a semaphore. */
static void wait_otherwise(void)
{
    uint32_t words[4] = { 0 }, priority = 0;
    gio_tell_next_lock(MUTEX_BUS);
    say("high has a message", msg_receive_words(MAILBOX_ORDERS, GIO_NEVER, words, &priority));
    say_number("order", words[0]);
    say_number("of priority", priority);
    use(sem_lock_told(MUTEX_BUS));

    gio_tell_next_lock(MUTEX_BUS);
    say("high has waited long enough", sem_lock_until(SEMAPHORE_READY, at(10)));
    use(sem_lock_told(MUTEX_BUS));

    gio_tell_next_lock(MUTEX_BUS);
    say("high has slept", gio_sleep_until(at(20)));
    use(sem_lock_told(MUTEX_BUS));

    gio_tell_next_lock(MUTEX_BUS);
    say("high sleeps no more", gio_sleep_until(at(20)));
    use(sem_lock_told(MUTEX_BUS));
}

void high(void)
{
    lock_plainly();
    lock_told_of(MUTEX_BUS);
    lock_told_of(MUTEX_BUS);
    lock_told_of(MUTEX_BUS);
    lock_told_of(SEMAPHORE_SPUR);
    lock_told_of(1000);
    use(sem_lock_told(MUTEX_BUS));
    wait_otherwise();

    gio_tell_next_lock(MUTEX_BUS);
    say("high goes on", sem_lock(SEMAPHORE_READY));
    say("high locks as if it had not told", sem_lock(MUTEX_BUS));
    use(sem_lock_told(MUTEX_BUS));

    lock_told_of(MUTEX_BUS);

    gio_tell_next_lock(MUTEX_BUS);
    say("high goes on", sem_lock(SEMAPHORE_READY));
    say("high finds no mutex", sem_lock_told(MUTEX_BUS));
}

/* Runs when it is spurred. */
void middle(void)
{
    sem_lock(SEMAPHORE_SPUR);
    gio_log("middle runs");
    sem_lock(SEMAPHORE_SPUR);
    say("middle has the mutex", sem_lock(MUTEX_BUS));
    sem_unlock(SEMAPHORE_READY);
    gio_log("middle ends with it");
}

/* Gives high what it waits for while the mutex is low's. */
static void give(const char *how)
{
    gio_log(how);
    sem_lock(MUTEX_BUS);
    sem_unlock(SEMAPHORE_READY);
    gio_log("low gives the mutex back");
    sem_unlock(MUTEX_BUS);
}

/* Has the mutex until the instant has passed to which high waits. */
static void have_it_past(unsigned milliseconds)
{
    sem_lock(MUTEX_BUS);
    while (gio_clock() < at(milliseconds + 1))
        ;
    gio_log("low gives the mutex back");
    sem_unlock(MUTEX_BUS);
}

void low(void)
{
    give("- not told");
    give("- told");

    gio_log("- told: low runs as urgently as high at once");
    sem_lock(MUTEX_BUS);
    sem_unlock(SEMAPHORE_READY);
    sem_unlock(SEMAPHORE_SPUR);
    gio_log("low gives the mutex back");
    sem_unlock(MUTEX_BUS);

    gio_log("- told, and the mutex is free");
    sem_unlock(SEMAPHORE_READY);
    give("- told of a semaphore that counts");
    give("- told of slot 1000; then locked without a wait");

    gio_log("- told, and waits for a message, an instant, nothing");
    sem_lock(MUTEX_BUS);
    msg_send_words(MAILBOX_ORDERS, 5, (uint32_t[4]) { 7 });
    gio_log("low gives the mutex back");
    sem_unlock(MUTEX_BUS);
    have_it_past(10);
    have_it_past(20);

    give("- told, and locked as if not");

    gio_log("- told, and its owner ends");
    sem_unlock(SEMAPHORE_SPUR);

    gio_log("- told, and deleted");
    sem_lock(MUTEX_BUS);
    sem_unlock(SEMAPHORE_READY);
    say("low deletes the mutex", sem_delete(MUTEX_BUS));
}
