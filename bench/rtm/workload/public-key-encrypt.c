/* Each channel encrypts messages under a key that it has agreed on by public keys. */
#include "golden/public-key-encrypt.h"
#include "secret.h"

static uint8_t messages[FRAMES][MESSAGE_BYTES];
static uint8_t key[KEY_BYTES];

const uint32_t workload_state_bytes = 0;
const uint32_t workload_output_bytes = MAC_BYTES + MESSAGE_BYTES;
const uint32_t workload_golden[FRAMES] = GOLDEN;

void workload_prepare(void)
{
    static const uint8_t own[KEY_BYTES] = SENDER_SECRET, other[KEY_BYTES] = RECEIVER_PUBLIC;
    session(key, own, other);
    plain_messages(messages);
}

void workload_begin(struct coder *coder)
{
    (void)coder;
}

void workload_frame(struct coder *coder, uint32_t frame, uint8_t *output)
{
    (void)coder;
    seal(output, key, frame, messages[frame]);
}
