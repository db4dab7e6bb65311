# Context switches. A task that does not run has on its stack a frame, which begins with the
# address of what takes it off: `resume_called` if the task gave up the processor by a call, so
# that what the calling convention preserves is enough, or `resume_interrupted`.

#include "entry.h"

    .equ CALL_FRAME, 56
    .equ INTERRUPT_FRAME, 128
    # machine mode before the trap, with interrupts on
    .equ INTERRUPTED, 0x1880

    .text
    .globl context_switch
    .globl context_start
    .globl resume_interrupted
    .globl trap

# void context_switch(struct task *next), with interrupts off
context_switch:
    addi sp, sp, -CALL_FRAME
    la t0, resume_called
    sw t0, 0(sp)
    sw ra, 4(sp)
    sw s0, 8(sp)
    sw s1, 12(sp)
    sw s2, 16(sp)
    sw s3, 20(sp)
    sw s4, 24(sp)
    sw s5, 28(sp)
    sw s6, 32(sp)
    sw s7, 36(sp)
    sw s8, 40(sp)
    sw s9, 44(sp)
    sw s10, 48(sp)
    sw s11, 52(sp)
    la t0, current
    lw t1, 0(t0)
    sw a0, 0(t0)
    sw sp, 0(t1)
# void context_start(struct task *first)
context_start:
    lw sp, 0(a0)
    lw t0, 0(sp)
    jr t0

# Interrupts are on where tasks call: here already, since a response waits no longer than it must.
resume_called:
    csrsi mstatus, 8
    lw ra, 4(sp)
    lw s0, 8(sp)
    lw s1, 12(sp)
    lw s2, 16(sp)
    lw s3, 20(sp)
    lw s4, 24(sp)
    lw s5, 28(sp)
    lw s6, 32(sp)
    lw s7, 36(sp)
    lw s8, 40(sp)
    lw s9, 44(sp)
    lw s10, 48(sp)
    lw s11, 52(sp)
    addi sp, sp, CALL_FRAME
    ret

# The caller-saved registers first: the others only if the task changes.
    .balign 4
trap:
    addi sp, sp, -INTERRUPT_FRAME
    sw t0, 8(sp)
    sw t1, 12(sp)
    ENTERED t0, t1
    csrr t0, mepc
    sw ra, 16(sp)
    sw t2, 20(sp)
    sw t0, 4(sp)
    sw a0, 40(sp)
    csrr a0, mcause
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
    bgez a0, fault
    la t0, current
    lw t0, 0(t0)
    sw sp, 0(t0)
    la sp, interrupt_stack_end
    call kernel_interrupt
    la t0, current
    lw t1, 0(t0)
    bne a0, t1, change
    lw sp, 0(a0)
resume_here:
    lw t0, 4(sp)
    lw ra, 16(sp)
    lw t2, 20(sp)
    lw t3, 24(sp)
    lw t4, 28(sp)
    lw t5, 32(sp)
    lw t6, 36(sp)
    csrw mepc, t0
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
    addi sp, sp, INTERRUPT_FRAME
    mret

change:
    lw t2, 0(t1)
    la t3, resume_interrupted
    sw t3, 0(t2)
    sw s0, 72(t2)
    sw s1, 76(t2)
    sw s2, 80(t2)
    sw s3, 84(t2)
    sw s4, 88(t2)
    sw s5, 92(t2)
    sw s6, 96(t2)
    sw s7, 100(t2)
    sw s8, 104(t2)
    sw s9, 108(t2)
    sw s10, 112(t2)
    sw s11, 116(t2)
    sw a0, 0(t0)
    lw sp, 0(a0)
    lw t0, 0(sp)
    jr t0

resume_interrupted:
    li t0, INTERRUPTED
    csrs mstatus, t0
    lw s0, 72(sp)
    lw s1, 76(sp)
    lw s2, 80(sp)
    lw s3, 84(sp)
    lw s4, 88(sp)
    lw s5, 92(sp)
    lw s6, 96(sp)
    lw s7, 100(sp)
    lw s8, 104(sp)
    lw s9, 108(sp)
    lw s10, 112(sp)
    lw s11, 116(sp)
    j resume_here

# A fault ends the run: its cause, and bit 8.
fault:
    li t0, 0xF0000000
    ori a0, a0, 0x100
    sw a0, 4(t0)
1:  j 1b

    .bss
    .balign 16
    .skip 4096
interrupt_stack_end:
