/* IMA ADPCM as Intel and DVI have it: 16-bit samples as 4 bits each, by the IMA's
 * "Recommended Practices for Enhancing Digital Audio Compatibility in Multimedia Systems". */
#ifndef ADPCM_H
#define ADPCM_H

#include <stdint.h>

struct adpcm {
    int32_t predicted;
    int32_t index;
};

/* The code of a sample, which the state follows. */
uint8_t adpcm_encode(struct adpcm *state, int16_t sample);
/* The sample of a code. */
int16_t adpcm_decode(struct adpcm *state, uint8_t code);

#endif
