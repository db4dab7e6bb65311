/* A supervisor, and a process that dies, with memory of its own. */

#include "say.h"
#include <identifiers.h>

void watch(void);
void pump(void);

/* Where a process has no memory. */
static volatile int *volatile nowhere = (int *)16;

void watch(void)
{
    struct gio_end end;
    say("start", create_proc(PROCESS_PUMP));
    sleep_until(1);
    say("start again", create_proc(PROCESS_PUMP));
    say("no end yet", gio_await_proc(GIO_AT_ONCE, &end));
    for (int times = 0; times < 2; times++) {
        say("an end", gio_await_proc(at(20), &end));
        say_number("of pump:", end.process == PROCESS_PUMP);
        say_number("generation", end.generation);
        say_number("restarted", end.restarted);
        say("start", create_proc(end.process));
    }
    say("none ends in time", gio_await_proc(at(20), &end));
    say("kill", gio_kill_proc(PROCESS_PUMP));
    say("kill again", gio_kill_proc(PROCESS_PUMP));
    say("kill itself", gio_kill_proc(0));
    say("kill nobody", gio_kill_proc(100000));
}

/* Takes what there is, 64 bytes, and dies twice. */
void pump(void)
{
    gio_id own = 0;
    gio_own(&own);
    say_number("pump begins, before:", own >> 16);
    unsigned char *memory = mem_alloc(17);
    say_number("aligned:", (uintptr_t)memory % 16 == 0);
    say_number("clear:", memory[0] == 0 && memory[16] == 0);
    memory[0] = memory[16] = 0xa5;
    say_number("too much:", mem_alloc(65) == NULL);
    say_number("the rest:", mem_alloc(32) == memory + 32);
    say_number("no more:", mem_alloc(1) == NULL);
    say("it supervises none", create_proc(0));
    say("nor waits", gio_await_proc(GIO_NEVER, NULL));
    start_timer(3 * GIO_MILLISECOND);
    if (own >> 16 < 2)
        *nowhere = 0;
    gio_log("pump lives on");
    start_timer(GIO_SECOND);
}
