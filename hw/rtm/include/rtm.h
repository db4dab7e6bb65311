/*
 * The registers of the task manager in hardware, for C and C++.
 *
 * Accessors take the base address, and a number of a record or an event where there are several.
 * Bytes are those of a little-endian bus.
 *
 * Generated from registers.toml.
 */

#ifndef RTM_H
#define RTM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Addresses in bytes, from the base. */

/* Status, priority and event of a record. */
#define RTM_RECORDS 0x0000u
#define RTM_RECORDS_STRIDE 8u
/* Delay of a record in ticks: it runs out when as many have passed. One of 0 runs out with the
 * next. */
#define RTM_DELAYS 0x0004u
#define RTM_DELAYS_STRIDE 8u
/* First ready record. */
#define RTM_TOP 0x0800u
/* Time advances by as many ticks as are written, which must be as a word. */
#define RTM_ADVANCE 0x0804u
/* First record whose delay has run out; its bit `EXPIRED` is cleared. */
#define RTM_EXPIRED 0x0808u
/* First ready record that has not been returned here since the last write, whatever that wrote. */
#define RTM_NEXT 0x080Cu
/* Causes that hold. */
#define RTM_CAUSE 0x0810u
/* Causes that raise the interrupt line. */
#define RTM_ENABLE 0x0814u
/* Clock cycles after each of which time advances by a tick without a command; 0: it does not.
 * Written as a word. */
#define RTM_TICK 0x0818u
/* Parameters of this task manager. */
#define RTM_CONFIG 0x081Cu
/* First record that waits for the event. */
#define RTM_WAITER 0x0C00u
#define RTM_WAITER_STRIDE 4u
/* First record that waits for the event, which it then does not any more. */
#define RTM_RELEASE 0x1000u
#define RTM_RELEASE_STRIDE 4u
/* Key of a record, a serial number: among records of one priority the one with the earlier key
 * comes first; keys in use must span less than 2^31. */
#define RTM_KEYS 0x1400u
#define RTM_KEYS_STRIDE 4u

/* Status of a record, which is ready if it is valid, and neither delayed, nor waiting for an event,
 * nor suspended. */

/* The record is a task's. */
#define RTM_STATUS_VALID (UINT32_C(1) << 0)
/* The task waits until its delay has run out, which clears the bit. */
#define RTM_STATUS_DELAYED (UINT32_C(1) << 1)
/* The task waits for its event. */
#define RTM_STATUS_EVENT (UINT32_C(1) << 2)
/* The task is suspended. */
#define RTM_STATUS_SUSPENDED (UINT32_C(1) << 3)
/* The delay limits the wait for the event: either ends both. */
#define RTM_STATUS_TIMED (UINT32_C(1) << 4)
/* The delay has run out since the status was written, and `EXPIRED` has not returned the record
 * since. */
#define RTM_STATUS_EXPIRED (UINT32_C(1) << 5)
/* The key becomes a stamp of the time when the status is written, when the delay runs out, and when
 * the record is released, so that equals are served in the order of arrival. */
#define RTM_STATUS_STAMPED (UINT32_C(1) << 6)

/* First word of a record; each field can be written by itself, as a byte. */

/* Status. */
static inline uint32_t rtm_record_status(uint32_t word)
{
    return word & 0xFFu;
}
/* Priority; 0 is the most urgent. */
static inline uint32_t rtm_record_priority(uint32_t word)
{
    return (word >> 8) & 0xFFu;
}
/* Number of the event that the task waits for. */
static inline uint32_t rtm_record_event(uint32_t word)
{
    return (word >> 16) & 0xFFu;
}
/* The word with these fields. */
static inline uint32_t rtm_record(uint8_t status, uint8_t priority, uint8_t event)
{
    return status | (uint32_t)priority << 8 | (uint32_t)event << 16;
}

/* Number of a record, or that there is none. */

/* The record; without meaning if there is none. */
static inline uint32_t rtm_answer_record(uint32_t word)
{
    return word & 0xFFu;
}
/* There is no such record. */
#define RTM_ANSWER_NONE (UINT32_C(1) << 31)

/* Causes of an interrupt. */

/* A delay has run out since the bit was cleared; cleared by writing 1. */
#define RTM_CAUSE_DELAY (UINT32_C(1) << 0)
/* The first ready record is not what `TOP` returned last, or not none after a reset; cleared by
 * reading `TOP`. */
#define RTM_CAUSE_TOP (UINT32_C(1) << 1)

/* Parameters of this task manager. */

/* Number of the last record: `N` - 1. */
static inline uint32_t rtm_config_last_record(uint32_t word)
{
    return word & 0xFFu;
}
/* Bits of a key: `KeyW`. */
static inline uint32_t rtm_config_key_bits(uint32_t word)
{
    return (word >> 8) & 0xFFu;
}
/* `Timed`. */
#define RTM_CONFIG_TIMED (UINT32_C(1) << 16)
/* `Stamps`. */
#define RTM_CONFIG_STAMPS (UINT32_C(1) << 17)
/* `Releases`. */
#define RTM_CONFIG_RELEASES (UINT32_C(1) << 18)
/* `Interrupts`. */
#define RTM_CONFIG_INTERRUPTS (UINT32_C(1) << 19)
/* `Many`. */
#define RTM_CONFIG_MANY (UINT32_C(1) << 20)
/* Delays have 32 bits (`DelayW`), instead of 16. */
#define RTM_CONFIG_LONG_DELAYS (UINT32_C(1) << 21)
/* Registers in the comparator tree: `Stages`. */
static inline uint32_t rtm_config_stages(uint32_t word)
{
    return (word >> 24) & 0xFFu;
}

/* Access. */

static inline uint32_t rtm_read_record(uintptr_t base, uint32_t record)
{
    return *(volatile uint32_t *)(base + RTM_RECORDS + RTM_RECORDS_STRIDE * record);
}
static inline void rtm_write_record(uintptr_t base, uint32_t record, uint32_t value)
{
    *(volatile uint32_t *)(base + RTM_RECORDS + RTM_RECORDS_STRIDE * record) = value;
}

static inline uint8_t rtm_read_status(uintptr_t base, uint32_t record)
{
    return *(volatile uint8_t *)(base + RTM_RECORDS + RTM_RECORDS_STRIDE * record);
}
static inline void rtm_write_status(uintptr_t base, uint32_t record, uint8_t value)
{
    *(volatile uint8_t *)(base + RTM_RECORDS + RTM_RECORDS_STRIDE * record) = value;
}

static inline uint8_t rtm_read_priority(uintptr_t base, uint32_t record)
{
    return *(volatile uint8_t *)(base + RTM_RECORDS + 1u + RTM_RECORDS_STRIDE * record);
}
static inline void rtm_write_priority(uintptr_t base, uint32_t record, uint8_t value)
{
    *(volatile uint8_t *)(base + RTM_RECORDS + 1u + RTM_RECORDS_STRIDE * record) = value;
}

static inline uint8_t rtm_read_event(uintptr_t base, uint32_t record)
{
    return *(volatile uint8_t *)(base + RTM_RECORDS + 2u + RTM_RECORDS_STRIDE * record);
}
static inline void rtm_write_event(uintptr_t base, uint32_t record, uint8_t value)
{
    *(volatile uint8_t *)(base + RTM_RECORDS + 2u + RTM_RECORDS_STRIDE * record) = value;
}

static inline uint32_t rtm_read_delay(uintptr_t base, uint32_t record)
{
    return *(volatile uint32_t *)(base + RTM_DELAYS + RTM_DELAYS_STRIDE * record);
}
static inline void rtm_write_delay(uintptr_t base, uint32_t record, uint32_t value)
{
    *(volatile uint32_t *)(base + RTM_DELAYS + RTM_DELAYS_STRIDE * record) = value;
}

static inline uint32_t rtm_read_top(uintptr_t base)
{
    return *(volatile uint32_t *)(base + RTM_TOP);
}

static inline void rtm_write_advance(uintptr_t base, uint32_t value)
{
    *(volatile uint32_t *)(base + RTM_ADVANCE) = value;
}

static inline uint32_t rtm_read_expired(uintptr_t base)
{
    return *(volatile uint32_t *)(base + RTM_EXPIRED);
}

static inline uint32_t rtm_read_next(uintptr_t base)
{
    return *(volatile uint32_t *)(base + RTM_NEXT);
}
static inline void rtm_write_next(uintptr_t base, uint32_t value)
{
    *(volatile uint32_t *)(base + RTM_NEXT) = value;
}

static inline uint32_t rtm_read_cause(uintptr_t base)
{
    return *(volatile uint32_t *)(base + RTM_CAUSE);
}
static inline void rtm_write_cause(uintptr_t base, uint32_t value)
{
    *(volatile uint32_t *)(base + RTM_CAUSE) = value;
}

static inline uint32_t rtm_read_enable(uintptr_t base)
{
    return *(volatile uint32_t *)(base + RTM_ENABLE);
}
static inline void rtm_write_enable(uintptr_t base, uint32_t value)
{
    *(volatile uint32_t *)(base + RTM_ENABLE) = value;
}

static inline uint32_t rtm_read_tick(uintptr_t base)
{
    return *(volatile uint32_t *)(base + RTM_TICK);
}
static inline void rtm_write_tick(uintptr_t base, uint32_t value)
{
    *(volatile uint32_t *)(base + RTM_TICK) = value;
}

static inline uint32_t rtm_read_config(uintptr_t base)
{
    return *(volatile uint32_t *)(base + RTM_CONFIG);
}

static inline uint32_t rtm_read_waiter(uintptr_t base, uint32_t event)
{
    return *(volatile uint32_t *)(base + RTM_WAITER + RTM_WAITER_STRIDE * event);
}

static inline uint32_t rtm_read_release(uintptr_t base, uint32_t event)
{
    return *(volatile uint32_t *)(base + RTM_RELEASE + RTM_RELEASE_STRIDE * event);
}

static inline uint32_t rtm_read_key(uintptr_t base, uint32_t record)
{
    return *(volatile uint32_t *)(base + RTM_KEYS + RTM_KEYS_STRIDE * record);
}
static inline void rtm_write_key(uintptr_t base, uint32_t record, uint32_t value)
{
    *(volatile uint32_t *)(base + RTM_KEYS + RTM_KEYS_STRIDE * record) = value;
}

#ifdef __cplusplus
}
#endif

#endif
