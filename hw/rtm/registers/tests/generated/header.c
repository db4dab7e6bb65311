/* Accessors of rtm.h on memory in place of a task manager. */

#include <stdio.h>

#include "rtm.h"

static uint32_t words[0x2000 / 4];

static int failures;

static void expect(const char *what, uint32_t is, uint32_t should)
{
    if (is != should) {
        fprintf(stderr, "%s: %08x, not %08x\n", what, (unsigned)is, (unsigned)should);
        failures++;
    }
}

#define EXPECT(is, should) expect(#is, (is), (should))

int main(void)
{
    const uintptr_t base = (uintptr_t)words;

    rtm_write_record(base, 255, rtm_record(RTM_STATUS_VALID | RTM_STATUS_EVENT, 7, 9));
    EXPECT(words[0x7F8 / 4], 0x00090705);
    rtm_write_status(base, 255, RTM_STATUS_VALID);
    rtm_write_priority(base, 255, 0x55);
    rtm_write_event(base, 255, 0xAA);
    EXPECT(words[0x7F8 / 4], 0x00AA5501);
    EXPECT(rtm_record_priority(rtm_read_record(base, 255)), 0x55);
    EXPECT(rtm_read_event(base, 255), 0xAA);

    rtm_write_delay(base, 3, 0x12345678);
    EXPECT(words[0x1C / 4], 0x12345678);
    rtm_write_key(base, 3, 0x87654321);
    EXPECT(words[0x140C / 4], 0x87654321);
    rtm_write_advance(base, 2);
    EXPECT(words[0x804 / 4], 2);
    rtm_write_cause(base, RTM_CAUSE_DELAY);
    EXPECT(words[0x810 / 4], 1);

    words[0x800 / 4] = RTM_ANSWER_NONE;
    EXPECT(rtm_read_top(base), 0x80000000);
    words[(0xC00 + 4 * 200) / 4] = 17;
    EXPECT(rtm_answer_record(rtm_read_waiter(base, 200)), 17);
    words[(0x1000 + 4 * 255) / 4] = 18;
    EXPECT(rtm_read_release(base, 255), 18);
    words[0x81C / 4] = 0x0228203F;
    EXPECT(rtm_config_last_record(rtm_read_config(base)), 63);
    EXPECT(rtm_config_key_bits(rtm_read_config(base)), 32);
    EXPECT(rtm_config_stages(rtm_read_config(base)), 2);
    EXPECT(rtm_read_config(base) & RTM_CONFIG_LONG_DELAYS, 0x200000);

    return failures != 0;
}
