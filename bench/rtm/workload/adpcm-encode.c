/* Each channel encodes speech as ADPCM. */
#include "adpcm.h"
#include "golden/adpcm-encode.h"
#include "speech.h"
#include "workload.h"

static int16_t samples[FRAMES * FRAME_SAMPLES];

const uint32_t workload_state_bytes = sizeof(struct adpcm);
const uint32_t workload_output_bytes = FRAME_SAMPLES / 2;
const uint32_t workload_golden[FRAMES] = GOLDEN;

void workload_prepare(void)
{
    speech(samples, FRAMES * FRAME_SAMPLES);
}

void workload_begin(struct coder *coder)
{
    *(struct adpcm *)coder = (struct adpcm){0};
}

void workload_frame(struct coder *coder, uint32_t frame, uint8_t *output)
{
    const int16_t *input = samples + frame * FRAME_SAMPLES;
    struct adpcm state = *(struct adpcm *)coder;
    for (uint32_t i = 0; i < FRAME_SAMPLES; i += 2) {
        uint32_t first = adpcm_encode(&state, input[i]);
        *output++ = (uint8_t)(first << 4 | adpcm_encode(&state, input[i + 1]));
    }
    *(struct adpcm *)coder = state;
}
