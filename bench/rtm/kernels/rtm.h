/* The registers of the task manager, see hw/rtm/README.md: those of the reference. */
#ifndef RTM_H
#define RTM_H

#include "machine.h"

#define RTM_BASE 0xF0020000u
#define RTM_RECORDS 64

struct rtm_record {
    /* Status, priority and event, from the low byte on. */
    volatile uint32_t word;
    volatile uint16_t delay;
    uint16_t unused;
};

#define RTM_RECORD(number) ((struct rtm_record *)RTM_BASE + (number))
#define RTM_TOP REGISTER(RTM_BASE + 0x800)
#define RTM_ADVANCE REGISTER(RTM_BASE + 0x804)
#define RTM_WAITER(event) REGISTER(RTM_BASE + 0xC00 + 4 * (event))

/* Of an answer: there is no such record. */
#define RTM_NONE 0x80000000u

#define RTM_VALID 1u
#define RTM_DELAYED 2u
#define RTM_WAITS 4u
#define RTM_SUSPENDED 8u

/* Of the first word. */
INLINE volatile uint8_t *rtm_status(struct rtm_record *record)
{
    return (volatile uint8_t *)&record->word;
}

INLINE volatile uint8_t *rtm_priority(struct rtm_record *record)
{
    return (volatile uint8_t *)&record->word + 1;
}

#endif
