/* What the experiment has of the chip in user mode, and how a process under Giornata tells the
 * host what it does: by marks, which are instructions without effect. */
#ifndef KERNEL_H
#define KERNEL_H

#include <giornata.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../../kernel/marks/mark.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* The page of the generator, which the system file grants. */
#define GENERATOR REGISTER(0xF0002000)
#define GENERATOR_LOWER REGISTER(0xF0002004)
#define GENERATOR_INTERRUPT 1

/* The clock of the experiment is called 20 MHz, that of the board 100 MHz. */
#define CYCLES_PER_TICK 20000u
#define NANOSECONDS_PER_CYCLE 10u

/* The board's clock counts cycles, too. */
#define CYCLES cycles()
#define TIME cycles()
/* The builder's: a process does not see the argument of a run. */
#define ARGUMENT EXPERIMENT_ARGUMENT

static inline uint32_t cycles(void)
{
    uint32_t now;
    __asm__ volatile("rdcycle %0" : "=r"(now));
    return now;
}

/* Ends the run; 0 is success. */
__attribute__((noreturn)) static inline void leave(uint32_t code)
{
    for (;;)
        gio_shutdown(code);
}

/* What marks say: xtask/src/bench/rtm/watched.rs has the same numbers. */
enum mark {
    MARK_BEGIN = 1,
    MARK_END = 2,
    MARK_RESPONSE = 3,
    MARK_TASK_RESPONSE = 4,
    /* A thread is in a function of a semaphore from here on, and has left it. */
    MARK_IPC = 5,
    MARK_IPC_END = 6,
    /* The same of another service. */
    MARK_SERVICE = 7,
    MARK_SERVICE_END = 8,
};

static inline void tell_begin(void)
{
    MARK(MARK_BEGIN);
}

static inline void tell_end(void)
{
    MARK(MARK_END);
}

/* The host has seen when the line rose. */
static inline void tell_response(uint32_t rise)
{
    (void)rise;
    MARK(MARK_RESPONSE);
}

static inline void tell_task_response(uint32_t rise)
{
    (void)rise;
    MARK(MARK_TASK_RESPONSE);
}

#endif
