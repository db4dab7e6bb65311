/* A workload: what a channel does with a frame of 20 ms. All channels get the same input, frame
 * after frame, made before the time begins; what comes out of each frame must have the checksum
 * that other implementations come to on a host (`golden.py`). */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdint.h>

/* Then the input begins anew, and so does each channel. */
#define FRAMES 100

/* What a channel keeps from frame to frame. */
struct coder;

/* Makes the input. */
void workload_prepare(void);
/* Bytes of a channel's state, and of a frame's output. */
extern const uint32_t workload_state_bytes, workload_output_bytes;
/* A channel begins. */
void workload_begin(struct coder *coder);
/* Treats a frame. */
void workload_frame(struct coder *coder, uint32_t frame, uint8_t *output);
/* The checksum of each frame's output. */
extern const uint32_t workload_golden[FRAMES];

/* Most bytes of a channel's state, and of a frame's output. */
#define MOST_STATE 1024
#define MOST_OUTPUT 320

/* FNV-1a, by words of four bytes. */
static inline uint32_t checksum(const uint32_t *words, uint32_t bytes)
{
    uint32_t sum = 2166136261u;
    for (uint32_t i = 0; i < bytes / 4; i++)
        sum = (sum ^ words[i]) * 16777619u;
    return sum;
}

/* Xorshift: deterministic noise; the state is not 0. */
static inline uint32_t noise(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

#endif
