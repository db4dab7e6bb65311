# Copying and zeroing, which the compiler and core call by these names: a fifth of the
# size of the compiler's own.

# memcpy(to, from, bytes) -> to: four words a turn, three cycles each, where both places
# are aligned; then words, then bytes.
.pushsection .text.cold.memory, "ax"
.globl memcpy
memcpy:
    or      a4, a0, a1
    mv      a3, a0
    andi    a4, a4, {WORD} - 1
    add     a2, a2, a1
    bnez    a4, memcpy_bytes
    addi    a5, a2, -4 * {WORD}
    bltu    a5, a1, 2f
memcpy_blocks:
    LOAD    a4, 0, a1
    LOAD    a6, {WORD}, a1
    LOAD    a7, 2 * {WORD}, a1
    SAVE    a4, 0, a3
    LOAD    a4, 3 * {WORD}, a1
    SAVE    a6, {WORD}, a3
    addi    a1, a1, 4 * {WORD}
    SAVE    a7, 2 * {WORD}, a3
    addi    a3, a3, 4 * {WORD}
    SAVE    a4, -{WORD}, a3
    bgeu    a5, a1, memcpy_blocks
2:
    addi    a5, a2, -{WORD}
    bltu    a5, a1, memcpy_bytes
memcpy_words:
    LOAD    a4, 0, a1
    addi    a1, a1, {WORD}
    addi    a3, a3, {WORD}
    SAVE    a4, -{WORD}, a3
    bgeu    a5, a1, memcpy_words
    j       memcpy_bytes
4:
    lbu     a4, 0(a1)
    addi    a1, a1, 1
    addi    a3, a3, 1
    sb      a4, -1(a3)
memcpy_bytes:
    bne     a1, a2, 4b
    ret

# memset(to, byte, bytes) -> to: zeroes go by words where the place is aligned.
.globl memset
memset:
    andi    a4, a0, {WORD} - 1
    or      a4, a4, a1
    mv      a3, a0
    add     a2, a2, a0
    bnez    a4, memset_bytes
    addi    a5, a2, -4 * {WORD}
    bltu    a5, a3, 2f
memset_blocks:
    SAVE    zero, 0, a3
    SAVE    zero, {WORD}, a3
    addi    a3, a3, 4 * {WORD}
    SAVE    zero, -2 * {WORD}, a3
    SAVE    zero, -{WORD}, a3
    bgeu    a5, a3, memset_blocks
2:
    addi    a5, a2, -{WORD}
    bltu    a5, a3, memset_bytes
memset_words:
    addi    a3, a3, {WORD}
    SAVE    zero, -{WORD}, a3
    bgeu    a5, a3, memset_words
    j       memset_bytes
4:
    addi    a3, a3, 1
    sb      a1, -1(a3)
memset_bytes:
    bne     a3, a2, 4b
    ret
.popsection
