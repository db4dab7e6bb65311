#include "port.h"

/* Fixed priorities of Giornata. The task that answers is the most urgent one here as well: it runs
 * when the thread of the interrupt, which the system file has at 99, posts to it. */
#define ANSWERING_PRIORITY 100
#define FIRST_PRIORITY 98

#define NANOSECONDS_PER_TICK (CYCLES_PER_TICK * NANOSECONDS_PER_CYCLE)

struct periodic {
    uint32_t period;
    void (*job)(void *);
    void *argument;
};

uint32_t port_late;

static struct periodic periodics[PORT_TASKS];
static uint32_t count, semaphores;
/* The first tick: by the kernel's clock, and by that of cycles. */
static gio_time first_tick;
static uint32_t first_cycle;

extern int main(void);

/* The thread of the system file: it makes the others, which begin when it awaits the first
 * interrupt. */
void arrivals(void);

void arrivals(void)
{
    leave((uint32_t)main());
}

static void *run_answering(void *unused)
{
    (void)unused;
    for (;;) {
        MARK(MARK_IPC);
        sem_lock(port_arrived);
        MARK(MARK_IPC_END);
        on_arrival_in_task();
    }
    return NULL;
}

static void sleep_until(gio_time instant)
{
    MARK(MARK_SERVICE);
    gio_sleep_until(instant);
    MARK(MARK_SERVICE_END);
}

static void *run_periodic(void *own)
{
    const struct periodic *periodic = own;
    gio_time next = first_tick;
    uint32_t next_cycle = first_cycle;
    sleep_until(next);
    for (;;) {
        periodic->job(periodic->argument);
        next += periodic->period * NANOSECONDS_PER_TICK;
        next_cycle += periodic->period * CYCLES_PER_TICK;
        if ((int32_t)(next_cycle - CYCLES) > 0)
            sleep_until(next);
        else
            port_late++;
    }
    return NULL;
}

static void create(gio_body *body, void *argument, unsigned priority)
{
    if (create_thread(body, argument, priority, NULL) != GIO_DONE)
        gio_panic("a thread cannot be created");
}

void port_init(void)
{
    create(run_answering, NULL, ANSWERING_PRIORITY);
}

void port_semaphore_create(port_semaphore *semaphore, uint16_t count)
{
    *semaphore = (port_semaphore)GIO_PRIVATE_SEMAPHORE(port_slots[semaphores++], count);
    /* The first of all makes a call, which learns how far it counts: before time begins. */
    gio_private_semaphore_unlock(semaphore);
    gio_private_semaphore_lock(semaphore);
}

void port_periodic(uint8_t priority, uint32_t period_ticks, void (*job)(void *), void *argument)
{
    struct periodic *periodic = &periodics[count++];
    *periodic = (struct periodic){.period = period_ticks, .job = job, .argument = argument};
    create(run_periodic, periodic, FIRST_PRIORITY - (priority - 1u));
}

void port_start(void)
{
    first_cycle = CYCLES + CYCLES_PER_TICK;
    first_tick = gio_clock() + NANOSECONDS_PER_TICK;
    for (;;) {
        MARK(MARK_SERVICE);
        gio_await_interrupt(GENERATOR_INTERRUPT);
        MARK(MARK_SERVICE_END);
        on_arrival();
        MARK(MARK_IPC);
        sem_unlock(port_arrived);
        MARK(MARK_IPC_END);
    }
}
