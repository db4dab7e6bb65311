# Checks of the system-on-chip. The argument register says which; a check exits
# with 0, or with the number of the step that went wrong. On a chip with many harts the
# first runs them, and the others look on.
#
# s0 = I/O registers. No interrupt is enabled and no trap expected at the start.

.option arch, rv32ima_zicsr

.equ IO,           0xF0000000
.equ UART_DATA,    0x00
.equ EXIT,         0x04
.equ CYCLE_LOW,    0x08
.equ GENERATE,     0x10
.equ CLEAR,        0x14
.equ HART,         0x18
.equ PROBE,        0x20
.equ ARGUMENT,     0x30
.equ UART_STATUS,  0x40
.equ UART_CONTROL, 0x44
.equ CLINT,        0xF0010000
.equ MTIMECMP,     0x4000
.equ MTIME,        0xBFF8

.equ IRQ_MASK,     0xBC0          # VexRiscv: which external lines count
.equ IRQ_PENDING,  0xFC0          # and which of them are high

.equ UART_PAGE,    0x1000         # as a 16550: data, and line status in byte 5
.equ LINE_STATUS,  0x05
.equ LINE_READY,   0x01
.equ LINE_EMPTY,   0x60
.equ GENERATOR,    0x2000

.equ CHECKS,       13

.equ MPP,          0x1800
.equ MPP_S,        0x0800
.equ MIE_TIMER,    0x080
.equ MIE_EXTERNAL, 0x800

# Ends the check with `step` unless the registers are equal.
.macro expect_equal left, right, step
    li      a0, \step
    bne     \left, \right, exit
.endm

.macro expect_cause cause, step
    csrr    t0, mcause
    li      t1, \cause
    expect_equal t0, t1, \step
.endm

# Goes on at `target` in the mode of `mpp`; the next trap leads to `after` in machine mode.
.macro leave_to target, mpp, after
    la      t0, \after
    csrw    mtvec, t0
    la      t0, \target
    csrw    mepc, t0
    li      t0, MPP
    csrc    mstatus, t0
    li      t0, \mpp
    csrs    mstatus, t0
    mret
.endm

# User mode does `access` (of t3) at s0 + offset in vain: the trap says so, with the
# address, and t3 stays what it was.
.macro expect_refused access, offset, cause, step
    li      t2, \offset
    add     t2, t2, s0
    mv      t3, s4
    leave_to 7f, 0, 8f
    .balign 4
7:  \access t3, 0(t2)
    ecall
    .balign 4
8:  expect_cause \cause, \step
    csrr    t0, mtval
    expect_equal t0, t2, \step
    expect_equal t3, s4, \step
.endm

# Waits for an interrupt of this kind, which leads to `after`.
.macro wait_for enable, after
    la      t0, \after
    csrw    mtvec, t0
    li      t0, \enable
    csrw    mie, t0
    csrsi   mstatus, 8
9:  j       9b
    .balign 4
.endm

.section .text.start, "ax"
.globl _start
_start:
    li      s0, IO
    la      t0, unexpected
    csrw    mtvec, t0
    lw      t0, HART(s0)
9:  bnez    t0, 9b
    lw      t0, ARGUMENT(s0)
    li      t1, CHECKS
    li      a0, 254
    bgeu    t0, t1, exit
    slli    t0, t0, 2
    la      t1, checks
    add     t1, t1, t0
    lw      t1, 0(t1)
    jr      t1

    .balign 4
unexpected:
    li      a0, 255
exit:
    sw      a0, EXIT(s0)
9:  j       9b

checks:
    .word   echo, counter, generator, timer, receive_interrupt, overrun, nowhere, conflict, regions, pages, echo_16550, devices, task_manager

# Sends back what arrives, with the case of letters changed, up to a full stop.
echo:
    lw      t0, UART_STATUS(s0)
    andi    t0, t0, 1
    beqz    t0, echo
    lw      t1, UART_DATA(s0)
    li      t2, '.'
    li      a0, 0
    beq     t1, t2, exit
    xori    t1, t1, 0x20
    sw      t1, UART_DATA(s0)
    j       echo

# The same by bytes, as a driver of a 16550 does it.
echo_16550:
    li      s1, IO + UART_PAGE
1:  lbu     t0, LINE_STATUS(s1)
    andi    t1, t0, LINE_EMPTY
    li      t2, LINE_EMPTY
    expect_equal t1, t2, 1
    andi    t0, t0, LINE_READY
    beqz    t0, 1b
    lbu     t1, 0(s1)
    li      t2, '.'
    li      a0, 0
    beq     t1, t2, exit
    xori    t1, t1, 0x20
    sb      t1, 0(s1)
    j       1b

# Probes with the low half of the cycle counter as identifier, twice alike.
counter:
    li      s1, 4
1:  lw      t0, CYCLE_LOW(s0)
    sw      t0, PROBE(s0)
    addi    s1, s1, -1
    bnez    s1, 1b
    li      a0, 0
    j       exit

# The interrupt generator rises 200 cycles after it was armed; the handler probes with that cycle.
generator:
    li      t0, 1
    csrw    IRQ_MASK, t0
    li      t0, 200
    lw      t1, CYCLE_LOW(s0)
    sw      t0, GENERATE(s0)
    sw      t1, PROBE(s0)
    wait_for MIE_EXTERNAL, generated
generated:
    lw      t0, GENERATE(s0)
    sw      t0, PROBE(s0)
    expect_cause 0x8000000B, 1
    csrr    t0, IRQ_PENDING
    li      t1, 1
    expect_equal t0, t1, 2
    sw      zero, CLEAR(s0)
    lw      t0, CYCLE_LOW(s0)     # stores are posted: this waits until it has arrived
    csrr    t0, IRQ_PENDING
    expect_equal t0, zero, 3
    li      a0, 0
    j       exit

# The timer rises when `mtime` reaches `mtimecmp`; probes with that instant.
timer:
    li      s1, CLINT
    li      t2, MTIME
    add     t2, t2, s1
    lw      s2, 0(t2)
    addi    s2, s2, 500
    li      t2, MTIMECMP
    add     t2, t2, s1
    sw      s2, 0(t2)
    sw      zero, 4(t2)
    wait_for MIE_TIMER, timed
timed:
    sw      s2, PROBE(s0)
    expect_cause 0x80000007, 1
    li      t0, -1
    sw      t0, 4(t2)
    lw      t0, 4(t2)             # stores are posted: this waits until it has arrived
    csrr    t0, mip
    andi    t0, t0, MIE_TIMER
    expect_equal t0, zero, 2
    li      a0, 0
    j       exit

# A byte on the serial line interrupts on line 1 until it is read.
receive_interrupt:
    li      t0, 2
    csrw    IRQ_MASK, t0
    li      t0, 1
    sw      t0, UART_CONTROL(s0)
    wait_for MIE_EXTERNAL, received
received:
    sw      zero, PROBE(s0)
    csrr    t0, IRQ_PENDING
    li      t1, 2
    expect_equal t0, t1, 1
    lw      t0, UART_DATA(s0)
    sw      t0, UART_DATA(s0)
    lw      t0, UART_DATA(s0)
    li      t1, 0x80000000
    expect_equal t0, t1, 2
    csrr    t0, IRQ_PENDING
    expect_equal t0, zero, 3
    li      a0, 0
    j       exit

# More bytes than the queue holds: the first 16 stay, the loss is told and can be cleared.
overrun:
    lw      t0, UART_STATUS(s0)
    andi    t0, t0, 4
    beqz    t0, overrun
    li      t0, 2
    sw      t0, UART_CONTROL(s0)
    lw      t0, UART_STATUS(s0)
    li      t1, 3
    expect_equal t0, t1, 1
1:  lw      t0, UART_DATA(s0)
    bltz    t0, 2f
    sw      t0, UART_DATA(s0)
    j       1b
2:  li      a0, 0
    j       exit

# A load from where nothing is: nobody answers it.
nowhere:
    li      s1, 0x20000004
    lw      t0, 0(s1)
    li      a0, 1
    j       exit

# Words 4 KiB apart, in turn: they share a line of a small cache. Probes 1 and 2 around.
conflict:
    li      s1, 0x40100000
    li      s2, 0x40101000
    li      s3, 64
    li      t0, 1
    sw      t0, PROBE(s0)
1:  lw      t1, 0(s1)
    lw      t2, 0(s2)
    addi    s3, s3, -1
    bnez    s3, 1b
    li      t0, 2
    sw      t0, PROBE(s0)
    li      a0, 0
    j       exit

# PMP: user mode reaches all of a region of 4 KiB, and nothing beside it.
.equ REGION, 0x40100000
.equ REGION_SIZE, 0x1000
regions:
    # 0: 64 KiB of program, read and execute; 1: the region, read and write
    li      t0, 0x40000000 >> 2 | (0x10000 >> 3) - 1
    csrw    pmpaddr0, t0
    li      t0, REGION >> 2 | (REGION_SIZE >> 3) - 1
    csrw    pmpaddr1, t0
    li      t0, 0x1B1D
    csrw    pmpcfg0, t0
    li      s1, REGION
    li      s2, REGION + REGION_SIZE
    leave_to within_region, 0, reached
    .balign 4
within_region:
    slti    x0, x0, 7             # a mark, for the test that watches
    lw      t0, 0(s1)
    lw      t0, REGION_SIZE / 4(s1)
    lw      t0, -(REGION_SIZE / 2)(s2)
    sw      s2, -4(s2)
    lw      t0, -4(s2)
    ecall
reached:
    expect_cause 8, 1
    lw      t0, -4(s2)
    expect_equal t0, s2, 2
    leave_to above_region, 0, above_refused
above_region:
    lw      t0, 0(s2)
    ecall
    .balign 4
above_refused:
    expect_cause 5, 3
    leave_to below_region, 0, below_refused
below_region:
    sw      t0, -4(s1)
    ecall
    .balign 4
below_refused:
    expect_cause 7, 4
    li      a0, 0
    j       exit

# PMP: user mode reaches a device that a region grants, and no other; what is refused
# never reaches the bus. I/O has address bit 31 set, so these accesses bypass the cache.
# The test sends a byte, which must still wait at the end, and expects no probe.
.equ LOAD_FAULT,  5
.equ STORE_FAULT, 7
.equ COMPARE,     CLINT - IO + MTIMECMP
.equ NOTHING,     0x80000000 - IO
devices:
    lw      t0, UART_STATUS(s0)
    andi    t0, t0, 1
    beqz    t0, devices
    li      s4, 0x5A5A5A5A
    li      s5, COMPARE
    add     s5, s5, s0
    li      s6, 0x12345678
    sw      s6, 0(s5)
    sw      s6, 4(s5)
    li      t0, 0x40000000 >> 2 | (0x10000 >> 3) - 1    # 0: program, read and execute
    csrw    pmpaddr0, t0
    li      t0, (IO + GENERATOR) >> 2 | (0x100 >> 3) - 1
    csrw    pmpaddr1, t0
    li      t0, (IO + UART_PAGE) >> 2 | (0x100 >> 3) - 1
    csrw    pmpaddr2, t0
    li      t0, 0x191B1D                                # 1: read and write, 2: read
    csrw    pmpcfg0, t0

    expect_refused lw, COMPARE, LOAD_FAULT, 1
    expect_refused sw, COMPARE, STORE_FAULT, 2
    expect_refused sw, COMPARE + 4, STORE_FAULT, 3
    expect_refused lhu, COMPARE + 2, LOAD_FAULT, 4
    expect_refused sh, COMPARE + 2, STORE_FAULT, 5
    expect_refused lb, COMPARE + 1, LOAD_FAULT, 6
    expect_refused sb, COMPARE + 1, STORE_FAULT, 7
    expect_refused lw, UART_DATA, LOAD_FAULT, 8
    expect_refused sw, UART_DATA, STORE_FAULT, 9
    expect_refused sw, EXIT, STORE_FAULT, 10
    expect_refused sw, PROBE, STORE_FAULT, 11
    expect_refused sw, UART_PAGE, STORE_FAULT, 12
    expect_refused lw, GENERATOR - 4, LOAD_FAULT, 13
    expect_refused lw, GENERATOR + 0x100, LOAD_FAULT, 14
    expect_refused lw, NOTHING, LOAD_FAULT, 15
    expect_refused sw, NOTHING, STORE_FAULT, 16

    # A device cannot be executed either.
    li      t2, GENERATOR
    add     t2, t2, s0
    leave_to over_to_device, 0, not_executed
    .balign 4
over_to_device:
    jr      t2
    .balign 4
not_executed:
    expect_cause 1, 17

    # What the regions grant.
    li      t3, UART_PAGE
    add     t3, t3, s0
    leave_to within_grants, 0, granted
    .balign 4
within_grants:
    lbu     t4, LINE_STATUS(t3)
    sw      zero, 0(t2)           # raises the generator's line at once
    lw      t5, 0(t2)
    ecall
    .balign 4
granted:
    expect_cause 8, 18
    li      t0, LINE_EMPTY | LINE_READY
    expect_equal t4, t0, 19
    lw      t0, GENERATE(s0)
    expect_equal t5, t0, 20
    li      t0, 1
    csrw    IRQ_MASK, t0
    csrr    t0, IRQ_PENDING
    li      t1, 1
    expect_equal t0, t1, 21

    # What was refused has changed nothing, and taken nothing.
    lw      t0, 0(s5)
    expect_equal t0, s6, 22
    lw      t0, 4(s5)
    expect_equal t0, s6, 23
    lw      t0, UART_DATA(s0)
    li      t1, '!'
    expect_equal t0, t1, 24
    li      a0, 0
    j       exit

# Sv32: supervisor mode reads and writes a page through its mapping; the next page is none.
.equ ROOT,    0x40200000
.equ LEAVES,  0x40201000
.equ FRAME,   0x40210000          # bits 15:12 as in the virtual address
.equ VIRTUAL, 0x80000000
.equ LEAF,    0xCF                # D A - - X W R V: no user
pages:
    li      s1, ROOT
    li      t0, 0x40000000 >> 2 | LEAF
    li      t1, ROOT + (0x40000000 >> 22) * 4
    sw      t0, 0(t1)
    li      t0, LEAVES >> 2 | 1
    li      t1, ROOT + (VIRTUAL >> 22) * 4
    sw      t0, 0(t1)
    li      t0, FRAME >> 2 | LEAF
    li      t1, LEAVES
    sw      t0, 0(t1)
    li      s2, FRAME
    li      s3, VIRTUAL
    li      s4, 0x5A5A1234
    sw      s4, 16(s2)
    li      t0, 0x80000000 | (ROOT >> 12)
    csrw    satp, t0
    sfence.vma
    leave_to through_mapping, MPP_S, mapped
    .balign 4
through_mapping:
    lw      s5, 16(s3)
    addi    s6, s5, 1
    sw      s6, 20(s3)
    ecall
mapped:
    expect_cause 9, 1
    expect_equal s5, s4, 2
    lw      t0, 20(s2)
    addi    t1, s4, 1
    expect_equal t0, t1, 3
    li      s3, VIRTUAL + 0x1000
    leave_to beside_mapping, MPP_S, unmapped
beside_mapping:
    lw      t0, 8(s3)
    ecall
    .balign 4
unmapped:
    expect_cause 13, 4
    csrr    t0, mtval
    addi    t1, s3, 8
    expect_equal t0, t1, 5
    li      a0, 0
    j       exit

# Two records, of which bytes are written; the first ready one; a delay that runs out interrupts.
task_manager:
    li      s1, 0xF0020000
    # record 5: priority 9, event 0, valid and delayed by 3 ticks; record 7: priority 20, valid
    li      t0, 3
    sw      t0, 5 * 8 + 4(s1)
    li      t0, 9 << 8 | 3
    sw      t0, 5 * 8(s1)
    li      t0, 20
    sb      t0, 7 * 8 + 1(s1)
    li      t0, 1
    sb      t0, 7 * 8(s1)
    li      s2, 0xF0020800
    lw      t0, 0(s2)
    li      t1, 7
    expect_equal t0, t1, 1
    lw      t0, 5 * 8 + 4(s1)
    li      t1, 3
    expect_equal t0, t1, 2
    # a delay that runs out interrupts
    li      t0, 1
    sw      t0, 0x14(s2)
    li      t0, 4
    csrw    IRQ_MASK, t0
    li      t0, 2
    sw      t0, 4(s2)
    lw      t0, 0(s2)
    csrr    t0, IRQ_PENDING
    expect_equal t0, zero, 3
    li      t0, 1
    sw      t0, 4(s2)
    wait_for MIE_EXTERNAL, ran_out
ran_out:
    lw      t0, 0(s2)
    li      t1, 5
    expect_equal t0, t1, 4
    lw      t0, 8(s2)
    expect_equal t0, t1, 5
    li      t0, 1
    sw      t0, 0x10(s2)
    lw      t0, 0(s2)
    csrr    t0, IRQ_PENDING
    expect_equal t0, zero, 6
    # the paper's block has 256 records at most: what lies beyond is not there
    lw      t0, 64 * 8(s1)
    expect_equal t0, zero, 7
    li      a0, 0
    j       exit
