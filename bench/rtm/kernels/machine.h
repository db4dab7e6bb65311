/* The simulated chip, see hw/soc/README.md: what kernels and programs of the experiment use. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

#define EXIT_CODE REGISTER(0xF0000004)
#define CYCLES REGISTER(0xF0000008)
/* Read: when the line rose last. Written: it rises after so many cycles. */
#define GENERATOR REGISTER(0xF0000010)
#define GENERATOR_LOWER REGISTER(0xF0000014)
#define PROBE REGISTER(0xF0000020)
#define ARGUMENT REGISTER(0xF0000030)
/* Runs are shorter than 2^32 cycles: the low words do. */
#define TIME REGISTER(0xF001BFF8)
#define ALARM REGISTER(0xF0014000)
#define ALARM_HIGH REGISTER(0xF0014004)

/* The generator's bit among the external lines. */
#define GENERATOR_LINE 1u

#define CAUSE_TIMER 0x80000007u
#define CAUSE_EXTERNAL 0x8000000Bu

#define STATUS_ENABLED 0x8u
#define ENABLE_TIMER 0x80u
#define ENABLE_EXTERNAL 0x800u

#define INLINE static inline __attribute__((always_inline))

/* What does not hold as a rule, and may cost a branch if it does. */
#define SELDOM(condition) __builtin_expect(condition, 0)

/* Interrupts off; returns what `interrupts_restore` takes. */
INLINE uint32_t interrupts_off(void)
{
    uint32_t before;
    __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(before)::"memory");
    return before;
}

INLINE void interrupts_restore(uint32_t before)
{
    __asm__ volatile("csrs mstatus, %0" ::"r"(before & STATUS_ENABLED) : "memory");
}

INLINE void interrupts_on(void)
{
    __asm__ volatile("csrsi mstatus, 8" ::: "memory");
}

INLINE void interrupts_enable(uint32_t which)
{
    __asm__ volatile("csrs mie, %0" ::"r"(which));
}

/* The core looks at these external lines as well. */
INLINE void lines_select(uint32_t lines)
{
    __asm__ volatile("csrs 0xBC0, %0" ::"r"(lines));
}

/* Which of those are high. */
INLINE uint32_t lines_high(void)
{
    uint32_t lines;
    __asm__ volatile("csrr %0, 0xFC0" : "=r"(lines));
    return lines;
}

/* Until an interrupt is pending that is enabled in mie. */
INLINE void wait_for_interrupt(void)
{
    __asm__ volatile("wfi" ::: "memory");
}

/* Ends the run; 0 is success. */
__attribute__((noreturn)) static inline void leave(uint32_t code)
{
    EXIT_CODE = code;
    for (;;)
        ;
}

#endif
