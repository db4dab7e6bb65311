#!/usr/bin/env python3
"""Computes the checksums that the outputs of the workloads must have, by implementations that the
experiment does not run, and writes them into workload/golden/:

- IMA ADPCM by Python's audioop (3.13 and later: package audioop-lts),
- GSM 06.10 by FFmpeg's own decoder (package av),
- X25519 and XChaCha20-Poly1305 by libsodium (package pynacl), BLAKE2b by hashlib.

What is coded is made as in workload/: speech.h, gsm-decode.c, secret.h.
"""

import audioop
import hashlib
import struct
from pathlib import Path

import av
import nacl.bindings as sodium

FRAMES, FRAME_SAMPLES = 100, 160
MESSAGE_BYTES = 256
MASK = 0xFFFFFFFF
GOLDEN = Path(__file__).parent / "workload" / "golden"


def noise():
    """workload.h: noise."""
    x = 1
    while True:
        x ^= x << 13 & MASK
        x ^= x >> 17
        x ^= x << 5 & MASK
        yield x


def checksum(data):
    """workload.h: checksum."""
    total = 2166136261
    for (word,) in struct.iter_unpack("<I", data):
        total = (total ^ word) * 16777619 & MASK
    return total


def triangle(phase, amplitude):
    ramp = (phase >> 16 & 0xFFFF) - 0x8000
    # (C divides towards zero)
    return int((abs(ramp) - 0x4000) * amplitude / 0x4000)


def speech(count):
    """speech.h."""
    low = high = 0
    samples = []
    for i, grain in zip(range(count), noise()):
        low = low + (120 + (i >> 6)) * 536871 & MASK
        high = high + (1900 - (i >> 4)) * 536871 & MASK
        samples.append(triangle(low, 9000) + triangle(high, 2500) + (grain & 0x3FF) - 0x200)
    return struct.pack(f"<{count}h", *samples)


def frames(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


def array(items, form, per_line):
    lines = [", ".join(form.format(item) for item in line) for line in frames(items, per_line)]
    return "{ \\\n    " + ", \\\n    ".join(lines) + "}"


def write(name, definitions):
    text = "/* By golden.py. */\n"
    for macro, value in definitions.items():
        text += f"#define {macro} {value}\n"
    (GOLDEN / f"{name}.h").write_text(text)


def write_golden(name, outputs):
    assert len(outputs) == FRAMES, (name, len(outputs))
    write(name, {"GOLDEN": array([checksum(output) for output in outputs], "0x{:08X}", 8)})


def adpcm():
    samples = speech(FRAMES * FRAME_SAMPLES)
    codes, _ = audioop.lin2adpcm(samples, 2, None)
    decoded, _ = audioop.adpcm2lin(codes, 2, None)
    write_golden("adpcm-encode", frames(codes, FRAME_SAMPLES // 2))
    write_golden("adpcm-decode", frames(decoded, FRAME_SAMPLES * 2))


def gsm():
    state = noise()
    decoder = av.CodecContext.create("gsm", "r")
    decoder.sample_rate = 8000
    decoder.layout = "mono"
    outputs = []
    for _ in range(FRAMES):
        frame = bytearray(next(state) >> 8 & 0xFF for _ in range(33))
        frame[0] = 0xD0 | frame[0] & 15
        for at in range(5, 33, 7):
            frame[at] = frame[at] & 0x3E | 0x80
            frame[at + 1] &= 0xEF
        for sound in decoder.decode(av.Packet(bytes(frame))):
            outputs.append(bytes(sound.planes[0])[: 2 * sound.samples])
    write_golden("gsm-decode", outputs)


def public_key():
    secrets = [hashlib.sha256(name).digest() for name in (b"sender", b"receiver")]
    publics = [sodium.crypto_scalarmult_base(secret) for secret in secrets]
    shared = sodium.crypto_scalarmult(secrets[0], publics[1])
    key = hashlib.blake2b(shared, digest_size=32).digest()
    state = noise()
    plain, sealed = [], []
    for number in range(FRAMES):
        message = bytes(next(state) >> 8 & 0xFF for _ in range(MESSAGE_BYTES))
        nonce = bytes([number]) + bytes(23)
        locked = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(message, None, nonce, key)
        plain.append(message)
        sealed.append(locked[-16:] + locked[:-16])
    names = ("SENDER_SECRET", "RECEIVER_SECRET", "SENDER_PUBLIC", "RECEIVER_PUBLIC")
    write("keys", {n: array(v, "0x{:02X}", 16) for n, v in zip(names, secrets + publics)})
    write_golden("public-key-encrypt", sealed)
    write_golden("public-key-decrypt", plain)


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    adpcm()
    gsm()
    public_key()
