/* A mutex and a semaphore of one process are words of its memory: no call is made
 * while nobody waits. */

#include "show.h"
#include <identifiers.h>

void work(void);

static struct gio_private_mutex bench = GIO_PRIVATE_MUTEX(MUTEX_BENCH);
static struct gio_private_semaphore tools = GIO_PRIVATE_SEMAPHORE(SEMAPHORE_TOOLS, 1);

static void *high(void *argument)
{
    show(gio_private_mutex_trylock(&bench), GIO_EBUSY, "high finds it taken: EBUSY");
    show(gio_private_mutex_lock(&bench), GIO_DONE, "high has waited and has it");
    gio_private_mutex_unlock(&bench);
    return argument;
}

static void *middle(void *argument)
{
    gio_log("middle begins");
    return argument;
}

void work(void)
{
    gio_id first = 0, second = 0;
    show(gio_private_mutex_lock(&bench), GIO_DONE, "low has it, without a call");
    create_thread(high, NULL, 40, &first);
    create_thread(middle, NULL, 30, &second);
    gio_log("low runs as 40 while high waits: middle has not begun");
    show(gio_private_mutex_unlock(&bench), GIO_DONE, "low runs as 20 again");
    join_thread(first, NULL);
    join_thread(second, NULL);
    show(gio_private_mutex_unlock(&bench), GIO_EPERM, "given back twice: EPERM");
    show(gio_private_semaphore_lock(&tools), GIO_DONE, "takes the one tool");
    show(gio_private_semaphore_trylock(&tools), GIO_EBUSY, "there is no other: EBUSY");
    show(gio_private_semaphore_unlock(&tools), GIO_DONE, "puts it back");
    msg_send_words(MAILBOX_REPLIES, 0, (uint32_t[4]){ 0 });
}
