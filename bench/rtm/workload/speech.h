/* Sound to code: two tones that glide, with some noise, at 8 kHz. */
#ifndef SPEECH_H
#define SPEECH_H

#include "workload.h"

#define FRAME_SAMPLES 160

/* A triangle of a phase: from -amplitude to amplitude. */
static inline int32_t triangle(uint32_t phase, int32_t amplitude)
{
    int32_t ramp = (int32_t)(phase >> 16 & 0xFFFF) - 0x8000;
    int32_t up = ramp < 0 ? -ramp : ramp;
    return (up - 0x4000) * amplitude / 0x4000;
}

static inline void speech(int16_t *samples, uint32_t count)
{
    uint32_t low = 0, high = 0, state = 1;
    for (uint32_t i = 0; i < count; i++) {
        low += (120 + (i >> 6)) * 536871u;
        high += (1900 - (i >> 4)) * 536871u;
        int32_t grain = (int32_t)(noise(&state) & 0x3FF) - 0x200;
        samples[i] = (int16_t)(triangle(low, 9000) + triangle(high, 2500) + grain);
    }
}

#endif
