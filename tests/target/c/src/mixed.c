/* The C half of a process whose other half is lib.rs. */

#include "say.h"
#include <identifiers.h>

void low(void);
void middle(void);

/* Declared in Rust. */
extern struct gio_private_semaphore SLOTS;

/* Has what the thread in Rust wants. */
void low(void)
{
    say("low in C has it", sem_lock(MUTEX_BUS));
    sleep_until(1);
    work(3);
    say("low in C gives it back", sem_unlock(MUTEX_BUS));
    gio_log("low in C is done");
    say("low in C takes it", sem_lock(MUTEX_BUS));
    say("low in C is signalled", cv_wait(CONDITION_CHANGE, MUTEX_BUS));
    say("low in C gives it back", sem_unlock(MUTEX_BUS));
    sleep_until(15);
    say("low in C gives a slot", gio_private_semaphore_unlock(&SLOTS));
}

/* Would go before low, but for what low has. */
void middle(void)
{
    sleep_until(2);
    gio_log("middle in C begins");
    work(1);
    gio_log("middle in C is done");
}
