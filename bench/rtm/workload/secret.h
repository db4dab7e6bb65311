/* A session between two parties who know each other's public keys, as in hybrid encryption:
 * their secret by X25519, the key from it by BLAKE2b, messages by XChaCha20-Poly1305; all by
 * Monocypher. */
#ifndef SECRET_H
#define SECRET_H

#include <string.h>

#include "golden/keys.h"
#include "monocypher.h"
#include "workload.h"

#define MESSAGE_BYTES 256
#define MAC_BYTES 16
#define KEY_BYTES 32
#define NONCE_BYTES 24

/* The key of a session: the same for both. */
static inline void session(uint8_t key[KEY_BYTES], const uint8_t own_secret[KEY_BYTES],
                           const uint8_t other_public[KEY_BYTES])
{
    uint8_t shared[KEY_BYTES];
    crypto_x25519(shared, own_secret, other_public);
    crypto_blake2b(key, KEY_BYTES, shared, KEY_BYTES);
}

/* The nonce of a message is its number. */
static inline void nonce_of(uint8_t nonce[NONCE_BYTES], uint32_t message)
{
    memset(nonce, 0, NONCE_BYTES);
    nonce[0] = (uint8_t)message;
}

/* A message, its MAC before it. */
static inline void seal(uint8_t *sealed, const uint8_t key[KEY_BYTES], uint32_t number,
                        const uint8_t *message)
{
    uint8_t nonce[NONCE_BYTES];
    nonce_of(nonce, number);
    crypto_aead_lock(sealed + MAC_BYTES, sealed, key, nonce, NULL, 0, message, MESSAGE_BYTES);
}

static inline void plain_messages(uint8_t messages[FRAMES][MESSAGE_BYTES])
{
    uint32_t state = 1;
    for (uint32_t message = 0; message < FRAMES; message++)
        for (uint32_t i = 0; i < MESSAGE_BYTES; i++)
            messages[message][i] = (uint8_t)(noise(&state) >> 8);
}

#endif
