/* Two threads of one priority that give way to each other: of SCHED_FIFO, of SCHED_SPORADIC,
 * and one of each. */

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "marks.h"

static const struct sched_param server = {
    .sched_priority = 50,
    .sched_ss_low_priority = 10,
    .sched_ss_init_budget = { .tv_sec = 1 },
    .sched_ss_repl_period = { .tv_sec = 2 },
    .sched_ss_max_repl = 4,
};

static void *fifo(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        MARK(YIELD);
        sched_yield();
        MARK(YIELD + 1);
    }
    return argument;
}

static void *sporadic(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        MARK(YIELD_SPORADIC);
        sched_yield();
        MARK(YIELD_SPORADIC + 1);
    }
    return argument;
}

static void *from_fifo(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        MARK(TO_SPORADIC);
        sched_yield();
        MARK(FROM_SPORADIC + 1);
    }
    return argument;
}

static void *from_sporadic(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        MARK(FROM_SPORADIC);
        sched_yield();
        MARK(TO_SPORADIC + 1);
    }
    return argument;
}

static int both(int one, void *(*first)(void *), int other, void *(*second)(void *))
{
    pthread_t threads[2];
    pthread_attr_t attr;
    int errors = 0;
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedparam(&attr, &server);
    pthread_attr_setschedpolicy(&attr, one);
    errors |= pthread_create(&threads[0], &attr, first, NULL);
    pthread_attr_setschedpolicy(&attr, other);
    errors |= pthread_create(&threads[1], &attr, second, NULL);
    for (int i = 0; i < 2; i++)
        errors |= pthread_join(threads[i], NULL);
    return errors;
}

int main(void)
{
    int errors = both(SCHED_FIFO, fifo, SCHED_FIFO, fifo);
    errors |= both(SCHED_SPORADIC, sporadic, SCHED_SPORADIC, sporadic);
    errors |= both(SCHED_FIFO, from_fifo, SCHED_SPORADIC, from_sporadic);
    return errors != 0;
}
