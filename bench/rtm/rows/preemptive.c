/* Single calls of the preemptive kernel, between probes 1 and 2; the argument says which. Each
 * is done once to warm the caches and then ROUNDS times. */
#include "kernel.h"

#define ROUNDS 20
#define WORDS 256
/* Priorities. */
#define HIGH 4
#define LOW 12

enum row {
    NOTHING,
    YIELD,
    POST_TO_HIGHER,
    PEND_BLOCKS,
    POST,
    PEND,
    TICK,
};

static struct task high, low;
static uint32_t high_stack[WORDS], low_stack[WORDS];
/* Others, which are delayed, for `TICK`: as many as go. */
static struct task others[TASKS - 4];
static uint32_t other_stacks[TASKS - 4][WORDS];
static struct event semaphore;
static uint32_t row;

static void begin(void)
{
    PROBE = 1;
}

static void end(void)
{
    PROBE = 2;
}

static void run_high(void *unused)
{
    (void)unused;
    for (uint32_t round = 0; row == YIELD && round < ROUNDS; round++) {
        end();
        begin();
        task_yield();
    }
    for (;;) {
        if (row == PEND_BLOCKS)
            begin();
        semaphore_pend(&semaphore, 0);
        if (row == POST_TO_HIGHER)
            end();
    }
}

static void run_low(void *unused)
{
    (void)unused;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        switch (row) {
        case NOTHING:
            begin();
            end();
            break;
        case YIELD:
            end();
            begin();
            task_yield();
            break;
        case POST_TO_HIGHER:
            begin();
            semaphore_post(&semaphore);
            break;
        case PEND_BLOCKS:
            end();
            semaphore_post(&semaphore);
            break;
        case POST:
            begin();
            semaphore_post(&semaphore);
            end();
            break;
        case PEND:
            semaphore_post(&semaphore);
            begin();
            semaphore_pend(&semaphore, 0);
            end();
            break;
        case TICK:
            wait_for_interrupt();
            break;
        }
    }
    leave(0);
}

static void run_other(void *unused)
{
    (void)unused;
    for (;;)
        task_delay(0xFFF0);
}

void on_external(void)
{
}

int main(void)
{
    row = ARGUMENT & 0xFF;
    kernel_init();
    semaphore_create(&semaphore, 0);
    if (row == YIELD || row == POST_TO_HIGHER || row == PEND_BLOCKS)
        task_create(&high, HIGH, run_high, 0, high_stack, WORDS);
    task_create(&low, LOW, run_low, 0, low_stack, WORDS);
    uint32_t count = ARGUMENT >> 8;
    for (uint32_t other = 0; other < count; other++) {
        uint8_t priority = (uint8_t)(other + (other >= HIGH) + (other + 1 >= LOW));
        task_create(&others[other], priority, run_other, 0, other_stacks[other], WORDS);
    }
    kernel_start();
}
