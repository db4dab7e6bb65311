/* IMA ADPCM as Intel and DVI have it: 16-bit samples as 4 bits each, by the IMA's
 * "Recommended Practices for Enhancing Digital Audio Compatibility in Multimedia Systems". */
#ifndef ADPCM_H
#define ADPCM_H

#include <stdint.h>

struct adpcm {
    int32_t predicted;
    int32_t index;
};

/* Steps grow by a tenth; how the code changes the step. */
static const uint16_t steps[89] = {
    7,     8,     9,     10,    11,    12,    13,    14,    16,    17,    19,    21,    23,
    25,    28,    31,    34,    37,    41,    45,    50,    55,    60,    66,    73,    80,
    88,    97,    107,   118,   130,   143,   157,   173,   190,   209,   230,   253,   279,
    307,   337,   371,   408,   449,   494,   544,   598,   658,   724,   796,   876,   963,
    1060,  1166,  1282,  1411,  1552,  1707,  1878,  2066,  2272,  2499,  2749,  3024,  3327,
    3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845,  8630,  9493,  10442, 11487,
    12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
static const int8_t index_changes[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

static inline int32_t limited(int32_t value, int32_t least, int32_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* What a code stands for, without its sign. */
static inline int32_t difference_of(int32_t step, uint32_t code)
{
    int32_t difference = step >> 3;
    difference += step & -(int32_t)(code >> 2 & 1);
    difference += step >> 1 & -(int32_t)(code >> 1 & 1);
    difference += step >> 2 & -(int32_t)(code & 1);
    return difference;
}

/* The sample of a code. */
static inline int16_t adpcm_decode(struct adpcm *state, uint32_t code)
{
    int32_t difference = difference_of(steps[state->index], code);
    int32_t predicted = state->predicted + (code & 8 ? -difference : difference);
    state->predicted = limited(predicted, INT16_MIN, INT16_MAX);
    state->index = limited(state->index + index_changes[code & 7], 0, 88);
    return (int16_t)state->predicted;
}

/* The code of a sample; the state is what the decoder's will be. */
static inline uint32_t adpcm_encode(struct adpcm *state, int16_t sample)
{
    int32_t step = steps[state->index];
    int32_t left = sample - state->predicted;
    uint32_t code = 0;
    if (left < 0) {
        code = 8;
        left = -left;
    }
    for (uint32_t bit = 4; bit > 0; bit >>= 1, step >>= 1) {
        if (left >= step) {
            code |= bit;
            left -= step;
        }
    }
    adpcm_decode(state, code);
    return code;
}

#endif
