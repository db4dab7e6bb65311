/* What the preemptive kernel promises, whatever its tasks are kept in. A task of low priority
 * tells three others what to do, and looks at what they have done. */
#include "kernel.h"

#include "expect.h"

#define WORDS 256
#define WORKERS 3
/* Of the first worker, the others behind it; and of the task that tells them. */
#define FIRST 10
#define LOW 40

enum order { PEND, PEND_FOR_3, DELAY_2, DELAY_4, YIELD };

struct worker {
    struct task task;
    uint32_t stack[WORDS];
    struct event go;
    enum order order;
    enum result result;
    uint32_t since, until;
};

static struct worker workers[WORKERS];
static struct task teller;
static uint32_t teller_stack[WORDS];
static struct event semaphore, never;
static volatile enum result in_interrupt;

static void run_worker(void *own)
{
    struct worker *worker = own;
    char letter = (char)('a' + (worker - workers));
    for (;;) {
        semaphore_pend(&worker->go, 0);
        worker->since = kernel_ticks();
        switch (worker->order) {
        case PEND:
            worker->result = semaphore_pend(&semaphore, 0);
            break;
        case PEND_FOR_3:
            worker->result = semaphore_pend(&semaphore, 3);
            break;
        case DELAY_2:
            task_delay(2);
            break;
        case DELAY_4:
            task_delay(4);
            break;
        case YIELD:
            say(letter);
            task_yield();
            break;
        }
        worker->until = kernel_ticks();
        say(letter);
    }
}

static void tell(uint32_t number, enum order order)
{
    workers[number].order = order;
    semaphore_post(&workers[number].go);
}

/* A tick begins. */
static void next_tick(void)
{
    for (uint32_t before = kernel_ticks(); kernel_ticks() == before;)
        ;
}

static uint32_t took(uint32_t number)
{
    return workers[number].until - workers[number].since;
}

static void check_delays(void)
{
    next_tick();
    tell(0, DELAY_4);
    tell(1, DELAY_2);
    tell(2, DELAY_2);
    EXPECT(has_said(""));
    task_delay(6);
    EXPECT(has_said("bca"));
    EXPECT(took(0) == 4 && took(1) == 2 && took(2) == 2);
}

static void check_waits(void)
{
    tell(2, PEND);
    tell(0, PEND);
    tell(1, PEND);
    for (int i = 0; i < 4; i++)
        semaphore_post(&semaphore);
    EXPECT(has_said("abc"));
    /* the fourth is left */
    EXPECT(semaphore.count == 1);
    EXPECT(semaphore_pend(&semaphore, 0) == DONE && semaphore.count == 0);
}

static void check_timeouts(void)
{
    next_tick();
    tell(1, PEND_FOR_3);
    tell(0, PEND_FOR_3);
    tell(2, PEND);
    next_tick();
    semaphore_post(&semaphore);
    EXPECT(has_said("a") && workers[0].result == DONE);
    task_delay(5);
    EXPECT(has_said("b") && workers[1].result == TIMED_OUT && took(1) == 3);
    /* only the third waits still; the first's time does not come once more */
    semaphore_post(&semaphore);
    EXPECT(has_said("c") && workers[2].result == DONE);
    semaphore_post(&semaphore);
    EXPECT(has_said("") && semaphore.count == 1);
    EXPECT(semaphore_pend(&semaphore, 2) == DONE);
    uint32_t before = kernel_ticks();
    EXPECT(semaphore_pend(&semaphore, 2) == TIMED_OUT && kernel_ticks() - before == 2);
}

static void check_suspension(void)
{
    next_tick();
    /* of one that waits, is released, and is resumed */
    tell(0, PEND);
    task_suspend(&workers[0].task);
    semaphore_post(&semaphore);
    EXPECT(has_said("") && semaphore.count == 0);
    task_resume(&workers[0].task);
    EXPECT(has_said("a"));
    /* of one that is delayed, resumed before its time and after */
    tell(0, DELAY_4);
    tell(1, DELAY_4);
    task_suspend(&workers[0].task);
    task_suspend(&workers[1].task);
    task_resume(&workers[0].task);
    task_delay(6);
    EXPECT(has_said("a") && took(0) == 4);
    task_resume(&workers[1].task);
    EXPECT(has_said("b") && took(1) >= 6);
    /* of one that waits for a time */
    tell(0, PEND_FOR_3);
    task_suspend(&workers[0].task);
    task_delay(6);
    EXPECT(has_said(""));
    task_resume(&workers[0].task);
    EXPECT(has_said("a") && workers[0].result == TIMED_OUT);
}

static void check_yield(void)
{
    scheduler_lock();
    tell(0, YIELD);
    tell(1, YIELD);
    EXPECT(has_said(""));
    scheduler_unlock();
    /* the first yields to the second, whose place it takes; that yields back */
    EXPECT(has_said("abab"));
    /* whoever yields to nobody goes on */
    task_yield();
}

static void check_refusals(void)
{
    struct event other = {.kind = UNUSED};
    EXPECT(semaphore_pend(NULL, 0) == NO_EVENT && semaphore_post(&other) == NO_EVENT);
    scheduler_lock();
    EXPECT(semaphore_pend(&never, 0) == NOT_HERE);
    scheduler_unlock();
    semaphore_create(&other, UINT16_MAX);
    EXPECT(semaphore_post(&other) == TOO_MANY);
    /* an interrupt may not wait, but posts */
    tell(0, PEND);
    in_interrupt = DONE;
    GENERATOR = 50;
    while (in_interrupt == DONE)
        ;
    EXPECT(in_interrupt == NOT_HERE);
    EXPECT(has_said("a"));
}

void on_external(void)
{
    GENERATOR_LOWER = 0;
    (void)GENERATOR;
    enum result result = semaphore_pend(&never, 0);
    semaphore_post(&semaphore);
    in_interrupt = result;
}

static void run_teller(void *unused)
{
    (void)unused;
    check_delays();
    check_waits();
    check_timeouts();
    check_suspension();
    check_yield();
    check_refusals();
    leave(0);
}

int main(void)
{
    kernel_init();
    semaphore_create(&semaphore, 0);
    semaphore_create(&never, 0);
    task_create(&teller, LOW, run_teller, NULL, teller_stack, WORDS);
    for (uint32_t i = 0; i < WORKERS; i++) {
        semaphore_create(&workers[i].go, 0);
        task_create(&workers[i].task, (uint8_t)(FIRST + i), run_worker, &workers[i],
                    workers[i].stack, WORDS);
    }
    lines_select(GENERATOR_LINE);
    interrupts_enable(ENABLE_EXTERNAL);
    kernel_start();
}
