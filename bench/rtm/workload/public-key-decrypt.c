/* Each channel decrypts messages under a key that it has agreed on by public keys. */
#include "golden/public-key-decrypt.h"
#include "secret.h"

static uint8_t sealed[FRAMES][MAC_BYTES + MESSAGE_BYTES];
static uint8_t key[KEY_BYTES];

const uint32_t workload_state_bytes = 0;
const uint32_t workload_output_bytes = MESSAGE_BYTES;
const uint32_t workload_golden[FRAMES] = GOLDEN;

void workload_prepare(void)
{
    static const uint8_t own[KEY_BYTES] = RECEIVER_SECRET, other[KEY_BYTES] = SENDER_PUBLIC;
    static uint8_t messages[FRAMES][MESSAGE_BYTES];
    session(key, own, other);
    plain_messages(messages);
    for (uint32_t frame = 0; frame < FRAMES; frame++)
        seal(sealed[frame], key, frame, messages[frame]);
}

void workload_begin(struct coder *coder)
{
    (void)coder;
}

/* A message that is refused leaves what is there: then the checksum is another. */
void workload_frame(struct coder *coder, uint32_t frame, uint8_t *output)
{
    (void)coder;
    uint8_t nonce[NONCE_BYTES];
    nonce_of(nonce, frame);
    if (crypto_aead_unlock(output, sealed[frame], key, nonce, NULL, 0, sealed[frame] + MAC_BYTES,
                           MESSAGE_BYTES) != 0)
        memset(output, 0, MESSAGE_BYTES);
}
