# What the hardware itself takes for the steps that a kernel is made of.
#
# The argument register says which. Each operation runs ITERATIONS times between
# probe 1 and probe 2; a span has the same two stores in it whatever lies between,
# and `nothing`, sixteen cycles long, tells what those cost. A body takes at least
# six cycles: the second store must not wait for the first.
#
# Each operation has a section of its own, so that the linker can shuffle them.

.option arch, rv32ima_zicsr

.equ IO,         0xF0000000
.equ EXIT,       0x04
.equ GENERATE,   0x10
.equ CLEAR,      0x14
.equ PROBE,      0x20
.equ ARGUMENT,   0x30
.equ ITERATIONS, 110
.equ OPERATIONS, 13
.equ IRQ_MASK,   0xBC0

.macro begin name
    .section .text.op_\name, "ax"
    .balign 4
\name:
    li      s1, ITERATIONS
\name\()_again:
    sw      s2, PROBE(s0)
.endm

.macro end name
    sw      s3, PROBE(s0)
    addi    s1, s1, -1
    bnez    s1, \name\()_again
    j       finished
.endm

.section .text.start, "ax"
.globl _start
_start:
    li      s0, IO
    li      s2, 1
    li      s3, 2
    la      s4, buffer
    la      t0, trap
    csrw    mtvec, t0
    lw      t0, ARGUMENT(s0)
    li      t1, OPERATIONS
    bgeu    t0, t1, unknown
    slli    t0, t0, 2
    la      t1, operations
    add     t1, t1, t0
    lw      t1, 0(t1)
    jr      t1
unknown:
    li      t0, 1
    sw      t0, EXIT(s0)
    j       unknown
finished:
    sw      zero, EXIT(s0)
    j       finished

    .balign 4
operations:
    .word   nothing, loads, uses, stores, csr, branches, calls, save, restore, user_call, interrupt, pmp, atomics

begin nothing
    .rept   16
    nop
    .endr
end nothing

begin loads
    .rept   16
    lw      t0, 0(s4)
    .endr
end loads

begin uses
    .rept   16
    lw      t0, 0(s4)
    addi    t0, t0, 1
    .endr
end uses

begin stores
    .rept   16
    sw      t0, 0(s4)
    .endr
end stores

begin csr
    .rept   16
    csrr    t0, mscratch
    .endr
end csr

begin branches
    .rept   16
    beqz    zero, 1f
    nop
1:
    .endr
end branches

begin calls
    .rept   16
    call    nearby
    .endr
end calls
    .balign 4
nearby:
    ret

begin save
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    sw      x\n, 4*\n(s4)
    .endr
end save

# As many loads as there are registers, into those that hold nothing here.
begin restore
    .rept   3
    .irp n, 5,6,7,10,11,12,13,14,15,16
    lw      x\n, 4*\n(s4)
    .endr
    .endr
    lw      x5, 20(s4)
end restore

.section .text.op_user_call, "ax"
    .balign 4
user_call:
    li      t0, -1
    csrw    pmpaddr0, t0          # traps, and is skipped, on a core without PMP
    li      t0, 0x1F
    csrw    pmpcfg0, t0
    la      t0, user_code
    csrw    mepc, t0
    li      t0, 0x1800
    csrc    mstatus, t0
    mret
begin user_code
    ecall
end user_code

# A handler in machine mode, from the rise of the line; it probes with 2, then with the cycle of the rise.
.section .text.op_interrupt, "ax"
    .balign 4
interrupt:
    la      t0, interrupted
    csrw    mtvec, t0
    csrw    IRQ_MASK, s2
    li      t0, 0x800
    csrw    mie, t0
    li      s1, ITERATIONS
interrupt_again:
    andi    t0, s1, 15
    addi    t0, t0, 40
    sw      t0, GENERATE(s0)
    csrsi   mstatus, 8
1:  j       1b
    .balign 4
interrupted:
    sw      s3, PROBE(s0)
    lw      t0, GENERATE(s0)
    sw      t0, PROBE(s0)
    sw      zero, CLEAR(s0)
    lw      t0, GENERATE(s0)      # until the line is low
    addi    s1, s1, -1
    bnez    s1, interrupt_again
    j       finished

# Four regions of a PMP: their addresses and the word of their attributes.
begin pmp
    csrw    pmpaddr4, s4
    csrw    pmpaddr5, s4
    csrw    pmpaddr6, s4
    csrw    pmpaddr7, s4
    csrw    pmpcfg1, zero
end pmp

begin atomics
    .rept   4
    amoadd.w t0, s2, (s4)
    .endr
end atomics

.section .text.op_trap, "ax"
    .balign 4
trap:
    csrr    t0, mepc
    addi    t0, t0, 4
    csrw    mepc, t0
    mret

.section .bss
    .balign 256
buffer:
    .skip   256
