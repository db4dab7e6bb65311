# The timer's interrupt, on the stack of whatever it interrupts.

#include "entry.h"

    .equ FRAME, 80

    .text
    .globl trap
    .balign 4
trap:
    addi sp, sp, -FRAME
    sw t0, 8(sp)
    sw t1, 12(sp)
    ENTERED t0, t1
    sw ra, 16(sp)
    sw t2, 20(sp)
    csrr t2, mcause
    sw a0, 40(sp)
    sw a1, 44(sp)
    sw a2, 48(sp)
    sw a3, 52(sp)
    sw a4, 56(sp)
    sw a5, 60(sp)
    sw a6, 64(sp)
    sw a7, 68(sp)
    sw t3, 24(sp)
    sw t4, 28(sp)
    sw t5, 32(sp)
    sw t6, 36(sp)
    bgez t2, fault
    call kernel_interrupt
    lw ra, 16(sp)
    lw t2, 20(sp)
    lw t3, 24(sp)
    lw t4, 28(sp)
    lw t5, 32(sp)
    lw t6, 36(sp)
    lw a0, 40(sp)
    lw a1, 44(sp)
    lw a2, 48(sp)
    lw a3, 52(sp)
    lw a4, 56(sp)
    lw a5, 60(sp)
    lw a6, 64(sp)
    lw a7, 68(sp)
    LEFT t0, t1
    lw t0, 8(sp)
    lw t1, 12(sp)
    addi sp, sp, FRAME
    mret

# A fault ends the run: its cause, and bit 8.
fault:
    li t0, 0xF0000000
    ori t2, t2, 0x100
    sw t2, 4(t0)
1:  j 1b
