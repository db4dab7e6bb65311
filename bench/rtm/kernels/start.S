# The RAM is 0 behind the program when the machine starts: .bss needs no loop.

    .section .text.start, "ax"
    .globl _start
_start:
    la sp, stack_end
    la t0, trap
    csrw mtvec, t0
    call main
    # what main returns ends the run
    li t0, 0xF0000000
    sw a0, 4(t0)
1:  j 1b
