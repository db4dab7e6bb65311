# Where harts start, how they enter user mode and come back, and what they do there.

.option arch, rv32ima_zicsr

.equ EXIT,         0xF0000004
.equ MPP,          0x1800
.equ MIE_SOFTWARE, 0x008
.equ STACK_TOP,    0x40400000     # 16 KiB below it for each hart

.section .text.start, "ax"
.globl _start
_start:
    csrr    a0, mhartid
    li      sp, STACK_TOP
    slli    t0, a0, 14
    sub     sp, sp, t0
    la      t0, unexpected
    csrw    mtvec, t0
    call    main
9:  j       9b

    .balign 4
unexpected:
    li      t0, EXIT
    csrr    t1, mcause
    ori     t1, t1, 0x100
    sw      t1, 0(t0)
9:  j       9b

.macro save_registers
    addi    sp, sp, -64
    sw      ra, 0(sp)
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    sw      s\n, 4 + 4 * \n(sp)
    .endr
    csrr    t0, mtvec
    sw      t0, 52(sp)
.endm

.macro restore_registers
    lw      t0, 52(sp)
    csrw    mtvec, t0
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    lw      s\n, 4 + 4 * \n(sp)
    .endr
    lw      ra, 0(sp)
    addi    sp, sp, 64
.endm

.text

# attempt(entry, a0, a1, outcome): user mode from `entry` on, with these registers, until it
# traps; the outcome is cause, value, address, and what a0 is then.
.globl attempt
attempt:
    save_registers
    sw      a3, 56(sp)
    la      t0, caught
    csrw    mtvec, t0
    csrw    mscratch, sp
    csrw    mepc, a0
    li      t0, MPP
    csrc    mstatus, t0
    mv      a0, a1
    mv      a1, a2
    mret
    .balign 4
caught:
    csrr    sp, mscratch
    lw      a3, 56(sp)
    csrr    t0, mcause
    sw      t0, 0(a3)
    csrr    t0, mtval
    sw      t0, 4(a3)
    csrr    t0, mepc
    sw      t0, 8(a3)
    sw      a0, 12(a3)
    restore_registers
    ret

# receive(msip, seen, stop): waits for software interrupts, and stores at `seen` the cycle of
# the first instruction that each leads to; returns after one that finds 1 at `stop`.
.globl receive
receive:
    save_registers
    la      t0, kicked
    csrw    mtvec, t0
    mv      s0, a0
    mv      s1, a1
    mv      s4, a2
    csrsi   mie, MIE_SOFTWARE
    csrsi   mstatus, 8
1:  wfi
    j       1b
    .balign 32
kicked:
    csrr    s2, mcycle
    sw      zero, 0(s0)
    lw      t0, 0(s0)             # stores are posted: this waits until it has arrived
    lw      s3, 0(s4)
    sw      s2, 0(s1)
    bnez    s3, 2f
    mret
2:  csrci   mie, MIE_SOFTWARE
    restore_registers
    ret

# What user mode does, each up to a trap, in a region of its own.
.balign 256
.globl user
user:
.globl user_load, user_store, user_amo, user_lr, user_sc, user_jump, user_loop
user_load:
    lw      a0, 0(a0)
    ecall
user_store:
    sw      a1, 0(a0)
    ecall
user_amo:
    amoadd.w a0, a1, (a0)
    ecall
user_lr:
    lr.w    a0, (a0)
    ecall
user_sc:                          # LR of a1, SC to a0
    lr.w    a2, (a1)
    sc.w    a0, a2, (a0)
    ecall
user_jump:
    jr      a0
user_loop:
    j       user_loop
.balign 256
