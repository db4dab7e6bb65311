/* Each channel decodes speech from GSM 06.10 full rate, by libgsm. The frames are noise: any
 * bits behind the four that mark a frame are parameters of some sound. Its long-term lags are
 * those that the standard allows, and it is not loud: decoders differ in what they make of other
 * lags, and of sums that saturate. */
#include <string.h>

#include "golden/gsm-decode.h"
#include "gsm.h"
#include "private.h"
#include "workload.h"

#define FRAME_BYTES 33
#define FRAME_SAMPLES 160
#define FIRST_LAG 40
/* Four subframes of seven bytes follow the reflection coefficients. */
#define FIRST_SUBFRAME 5
#define SUBFRAME_BYTES 7

static gsm_byte frames[FRAMES][FRAME_BYTES];

_Static_assert(sizeof(struct gsm_state) <= MOST_STATE, "a channel's state");
const uint32_t workload_state_bytes = sizeof(struct gsm_state);
const uint32_t workload_output_bytes = FRAME_SAMPLES * 2;
const uint32_t workload_golden[FRAMES] = GOLDEN;

void workload_prepare(void)
{
    uint32_t state = 1;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t i = 0; i < FRAME_BYTES; i++)
            frames[frame][i] = (gsm_byte)(noise(&state) >> 8);
        frames[frame][0] = (gsm_byte)(GSM_MAGIC << 4 | (frames[frame][0] & 15));
        for (uint32_t i = FIRST_SUBFRAME; i < FRAME_BYTES; i += SUBFRAME_BYTES) {
            /* a lag from 64 to 95, and a gain in the lower half */
            frames[frame][i] = (frames[frame][i] & 0x3E) | 0x80;
            /* the upper half of the amplitudes is left out */
            frames[frame][i + 1] &= 0xEF;
        }
    }
}

/* As gsm_create has it, without its heap. */
void workload_begin(struct coder *coder)
{
    struct gsm_state *state = (struct gsm_state *)coder;
    memset(state, 0, sizeof *state);
    state->nrp = FIRST_LAG;
}

void workload_frame(struct coder *coder, uint32_t frame, uint8_t *output)
{
    gsm_decode((gsm)coder, frames[frame], (gsm_signal *)output);
}
