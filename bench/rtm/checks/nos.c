/* What the non-preemptive kernel promises, whatever its tasks are kept in. */
#include "kernel.h"

#include "expect.h"

static struct task often, seldom, twice, longish, once;
static uint32_t runs_of_twice, polls;

/* Each second tick. */
static uint32_t run_often(void *unused, uint32_t now)
{
    (void)unused;
    say('o');
    return now + 2;
}

static uint32_t run_seldom(void *unused, uint32_t now)
{
    (void)unused;
    say('s');
    return now + 5;
}

/* Again at once, the first time. */
static uint32_t run_twice(void *unused, uint32_t now)
{
    (void)unused;
    say('t');
    return runs_of_twice++ == 0 ? now : NEVER;
}

/* Longer than three ticks, from the fifth on. */
static uint32_t run_longish(void *unused, uint32_t now)
{
    (void)unused;
    (void)now;
    say('l');
    for (uint32_t begin = TIME; TIME - begin < 3 * CYCLES_PER_TICK;)
        ;
    return NEVER;
}

static uint32_t run_once(void *unused, uint32_t now)
{
    (void)unused;
    EXPECT(now == 12 && polls > 0);
    /* Tick 0: the one that is due at once, twice. 1: by priority. 3. 5: the long one, until 8,
     * when the two that were due meanwhile run, by priority, and count from then on. 10, 12. */
    EXPECT(has_said("tt" "so" "o" "ol" "so" "o" "o"));
    leave(0);
    return NEVER;
}

void on_poll(void)
{
    polls++;
}

int main(void)
{
    task_create(&often, 2, run_often, 0, 1);
    task_create(&seldom, 1, run_seldom, 0, 1);
    task_create(&twice, 5, run_twice, 0, 0);
    task_create(&longish, 4, run_longish, 0, 5);
    task_create(&once, 3, run_once, 0, 12);
    kernel_run();
}
