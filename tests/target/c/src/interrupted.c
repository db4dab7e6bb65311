/* A thread that awaits an interrupt is interrupted for a signal. The line comes afterwards. */

#include "say.h"
#include <identifiers.h>

void handle(void);
void disturb(void);
void bystand(void);

#define RTC(offset) (*(volatile uint32_t *)(uintptr_t)(DEVICE_DRIVER_RTC + (offset)))

enum { OWN = 9, AWAIT_INTERRUPT = 13, POSIX = 46, INTERRUPT = 2, GO_BACK = 3 };

static volatile size_t slot, serial;

/* A system call; the first that it returns. */
static size_t call(size_t number, size_t x0, size_t x1, size_t x2, size_t x3)
{
    register size_t a0 __asm__("a0") = x0, a1 __asm__("a1") = x1, a2 __asm__("a2") = x2;
    register size_t a3 __asm__("a3") = x3, a4 __asm__("a4") = 0, a5 __asm__("a5") = 0;
    register size_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall"
                     : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4), "+r"(a5), "+r"(a7)
                     :
                     : "ra", "a6", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "memory");
    if (number == OWN) {
        slot = a1;
        serial = a2;
    }
    return a0;
}

static void on_signal(size_t frame)
{
    call(POSIX, GO_BACK, frame, 0, 0);
}

#ifdef DEVICE_DRIVER_RTC
void handle(void)
{
    call(OWN, 0, 0, 0, 0);
    say_number("the wait for the interrupt returns", call(AWAIT_INTERRUPT, INTERRUPT_RTC, 0, 0, 0));
    say("a semaphore that nobody gives", sem_lock_until(SEMAPHORE_NEVER, at(40)));
}

void disturb(void)
{
    uint64_t now = RTC(0);
    now |= (uint64_t)RTC(4) << 32;
    now += at(30);
    RTC(0x10) = 1;
    RTC(0x0c) = (uint32_t)(now >> 32);
    RTC(0x08) = (uint32_t)now;
    sleep_until(10);
    say_number("the signal", call(POSIX, INTERRUPT, slot, serial, (size_t)on_signal));
}
#endif

void bystand(void)
{
    sleep_until(15);
    say("the bystander's", sem_lock_until(SEMAPHORE_NEVER, at(45)));
}
