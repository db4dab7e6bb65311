/* Each channel decodes speech from ADPCM. */
#include "adpcm.h"
#include "golden/adpcm-decode.h"
#include "speech.h"
#include "workload.h"

static int16_t samples[FRAMES * FRAME_SAMPLES];
static uint8_t codes[FRAMES * FRAME_SAMPLES / 2];

const uint32_t workload_state_bytes = sizeof(struct adpcm);
const uint32_t workload_output_bytes = FRAME_SAMPLES * 2;
const uint32_t workload_golden[FRAMES] = GOLDEN;

void workload_prepare(void)
{
    struct adpcm state = {0};
    speech(samples, FRAMES * FRAME_SAMPLES);
    for (uint32_t i = 0; i < FRAMES * FRAME_SAMPLES; i += 2) {
        uint32_t first = adpcm_encode(&state, samples[i]);
        codes[i / 2] = (uint8_t)(first << 4 | adpcm_encode(&state, samples[i + 1]));
    }
}

void workload_begin(struct coder *coder)
{
    *(struct adpcm *)coder = (struct adpcm){0};
}

void workload_frame(struct coder *coder, uint32_t frame, uint8_t *output)
{
    const uint8_t *input = codes + frame * FRAME_SAMPLES / 2;
    int16_t *decoded = (int16_t *)output;
    struct adpcm state = *(struct adpcm *)coder;
    for (uint32_t i = 0; i < FRAME_SAMPLES / 2; i++) {
        *decoded++ = adpcm_decode(&state, input[i] >> 4);
        *decoded++ = adpcm_decode(&state, input[i] & 15);
    }
    *(struct adpcm *)coder = state;
}
