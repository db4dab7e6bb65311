# Prologues and epilogues that functions share, by the names of the psABI for
# `-msave-restore`: N registers s0.. are saved beside ra. Registers come in groups of four,
# the last group first; only the compiler's calls, which come in pairs, know the order.

.pushsection .text.giornata_frames, "ax"
.irp n, 12, 11, 10, 9, 8
.globl __riscv_save_\n
__riscv_save_\n:
.endr
    addi    sp, sp, -8 * {WORD}
    SAVE    s7, 0, sp
    SAVE    s8, {WORD}, sp
    SAVE    s9, 2 * {WORD}, sp
    SAVE    s10, 3 * {WORD}, sp
    SAVE    s11, 4 * {WORD}, sp
.irp n, 7, 6, 5, 4
.globl __riscv_save_\n
__riscv_save_\n:
.endr
    addi    sp, sp, -4 * {WORD}
    SAVE    s3, 0, sp
    SAVE    s4, {WORD}, sp
    SAVE    s5, 2 * {WORD}, sp
    SAVE    s6, 3 * {WORD}, sp
.irp n, 3, 2, 1, 0
.globl __riscv_save_\n
__riscv_save_\n:
.endr
    addi    sp, sp, -4 * {WORD}
    SAVE    ra, 0, sp
    SAVE    s0, {WORD}, sp
    SAVE    s1, 2 * {WORD}, sp
    SAVE    s2, 3 * {WORD}, sp
    jr      t0

.irp n, 12, 11, 10, 9, 8
.globl __riscv_restore_\n
__riscv_restore_\n:
.endr
    LOAD    s7, 8 * {WORD}, sp
    LOAD    s8, 9 * {WORD}, sp
    LOAD    s9, 10 * {WORD}, sp
    LOAD    s10, 11 * {WORD}, sp
    LOAD    s11, 12 * {WORD}, sp
    addi    t0, sp, 16 * {WORD}
    j       1f
.irp n, 7, 6, 5, 4
.globl __riscv_restore_\n
__riscv_restore_\n:
.endr
    addi    t0, sp, 8 * {WORD}
1:
    LOAD    s3, 4 * {WORD}, sp
    LOAD    s4, 5 * {WORD}, sp
    LOAD    s5, 6 * {WORD}, sp
    LOAD    s6, 7 * {WORD}, sp
    j       2f
.irp n, 3, 2, 1, 0
.globl __riscv_restore_\n
__riscv_restore_\n:
.endr
    addi    t0, sp, 4 * {WORD}
2:
    LOAD    ra, 0, sp
    LOAD    s0, {WORD}, sp
    LOAD    s1, 2 * {WORD}, sp
    LOAD    s2, 3 * {WORD}, sp
    mv      sp, t0
    ret
.popsection
