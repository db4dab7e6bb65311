# The trap path. See trap.rs.

# Words as wide as an address.
.macro SAVE register, offset, base
.if {WORD} == 8
    sd      \register, \offset(\base)
.else
    sw      \register, \offset(\base)
.endif
.endm
.macro LOAD register, offset, base
.if {WORD} == 8
    ld      \register, \offset(\base)
.else
    lw      \register, \offset(\base)
.endif
.endm

.macro ZERO registers:vararg
.irp register, \registers
    li      \register, 0
.endr
.endm

# Registers of the thread that is left, and of the one that runs next.
.macro SAVE_A base, numbers:vararg
.irp n, \numbers
    SAVE    a\n, {THREAD_A} + {WORD} * \n, \base
.endr
.endm
.macro LOAD_A base, numbers:vararg
.irp n, \numbers
    LOAD    a\n, {THREAD_A} + {WORD} * \n, \base
.endr
.endm
.macro SAVE_T base, numbers:vararg
.irp n, \numbers
    SAVE    t\n, {THREAD_T} + {WORD} * \n, \base
.endr
.endm
.macro LOAD_T base, numbers:vararg
.irp n, \numbers
    LOAD    t\n, {THREAD_T} + {WORD} * \n, \base
.endr
.endm

# The low word of the clock.
.macro NOW register
.if {MCYCLE}
    csrr    \register, mcycle
.else
    li      \register, {MTIME}
    lw      \register, 0(\register)
.endif
.endm

# Enters what a1 may touch, after what tp could: both exits begin with it.
# Expects t2 = process of a1, t3 = process whose space the hart has loaded.
.macro ENTER_SPACE
.if {REGIONS}
    # A process whose threads have their own stacks has them all; the others keep the
    # entry closed, so what it holds means nothing.
    LOAD    t4, {STACK}, a1
    beqz    t4, 1f
    csrw    pmpaddr1, t4
.if {PMP_CACHE}
    csrr    t4, pmpcfg0
    csrw    pmpcfg0, t4
.endif
1:
.endif
    bne     t2, t3, 5f
4:
.if {ATOMICS}
    # What the thread that is left has reserved is not the next one's.
    addi    t0, sp, {RESERVATION}
.option push
.option arch, +a
    sc.w    zero, zero, (t0)
.option pop
.endif
.if {FLOATING}
    jal     t0, giornata_admit_floating
.endif
.endm

# Loads the space of the process t2; t3 = that of before. A process of the kernel's
# own threads has none, and leaves the other in place. Of a process that is not alive the
# kernel thread that ends it runs.
.macro LOAD_SPACE
5:
    lw      t1, {LIFE}(t2)
.if {REGIONS}
    LOAD    t0, {SPACE} + {WORD} * {SPACE_RIGHTS}, t2
    LOAD    t4, {SPACE} + {WORD} * ({SPACE_PLACES} + 0), t2
    LOAD    t5, {SPACE} + {WORD} * ({SPACE_PLACES} + 1), t2
    LOAD    t6, {SPACE} + {WORD} * ({SPACE_PLACES} + 2), t2
    bnez    t1, 9f
    beqz    t0, 4b
    csrw    pmpaddr2, t4
    LOAD    t4, {SPACE} + {WORD} * ({SPACE_PLACES} + 3), t2
    csrw    pmpaddr3, t5
    LOAD    t5, {SPACE} + {WORD} * {SPACE_WIDE}, t2
    csrw    pmpaddr4, t6
    LOAD    t6, {SPACE} + {WORD} * {SPACE_WIDE}, t3
    SAVE    t2, {LOADED}, sp
    beqz    t4, 7f
    # entries 5 to 7
    csrw    pmpaddr5, t4
    LOAD    t4, {SPACE} + {WORD} * ({SPACE_PLACES} + 4), t2
    csrw    pmpaddr6, t4
    LOAD    t4, {SPACE} + {WORD} * ({SPACE_PLACES} + 5), t2
    csrw    pmpaddr7, t4
7:
    or      t5, t5, t6
    bnez    t5, 8f
    LOAD    t4, {SPACE} + {WORD} * {SPACE_RIGHTS}, t3
    LOAD    t5, {SPACE} + {WORD} * ({SPACE_RIGHTS} + 1), t2
    LOAD    t6, {SPACE} + {WORD} * ({SPACE_RIGHTS} + 1), t3
.if {PMP_CACHE} == 0
    beq     t0, t4, 1f
.endif
    csrw    pmpcfg0, t0
1:
    beq     t5, t6, 4b
    csrw    pmpcfg1, t5
    j       4b
8:  # either has more than eight entries, or what is loaded is not known
.irp n, 8, 9, 10, 11, 12, 13, 14, 15
    LOAD    t4, {SPACE} + {WORD} * ({SPACE_PLACES} + \n - 2), t2
    csrw    0x3B0 + \n, t4
.endr
    LOAD    t4, {SPACE} + {WORD} * ({SPACE_RIGHTS} + 1), t2
    LOAD    t5, {SPACE} + {WORD} * ({SPACE_RIGHTS} + 2), t2
    LOAD    t6, {SPACE} + {WORD} * ({SPACE_RIGHTS} + 3), t2
    csrw    pmpcfg0, t0
    csrw    pmpcfg1, t4
    csrw    pmpcfg2, t5
    csrw    pmpcfg3, t6
    j       4b
.else
    LOAD    t4, {SPACE}, t2
    bnez    t1, 9f
    beqz    t4, 4b
    SAVE    t2, {LOADED}, sp
    csrw    satp, t4
    sfence.vma
    j       4b
.endif
9:
    LOAD    a1, {REAPER}, t2
    j       4b
.endm

# Charges tp for the time since it was entered, and records that the hart leaves it
# for a1, which goes on at t0 as t1 says. t4: the record, whose reason is still to be
# stored. Its place in a program must be followed by CARRY.
.macro CHARGE
    NOW     t0
    lw      t4, {SINCE}(sp)
    lw      t3, {SPENT}(tp)
    lw      t5, {WRITTEN}(sp)
    sw      t0, {SINCE}(sp)
    sub     t6, t0, t4
    add     t3, t3, t6
    lw      t4, {MASK}(sp)
    sw      t3, {SPENT}(tp)
    bltu    t3, t6, 97f
98:
    LOAD    t6, {RING}, sp
    and     t4, t5, t4
    addi    t5, t5, 16
    add     t4, t4, t6
    sw      t5, {WRITTEN}(sp)
    lw      t5, {LABEL}(tp)
    sw      t0, 0(t4)
    lw      t6, {LABEL}(a1)
    sw      t5, 4(t4)
    LOAD    t0, {THREAD_PC}, a1
    sw      t6, 8(t4)
    lhu     t1, {KIND}(a1)
    sw      a0, 12(t4)
.endm
.macro CARRY
97:
    lw      t6, {SPENT_HIGH}(tp)
    addi    t6, t6, 1
    sw      t6, {SPENT_HIGH}(tp)
    j       98b
.endm

.pushsection .text.giornata_trap, "ax"
.balign 32
.globl giornata_trap
giornata_trap:
    csrr    tp, mscratch
    SAVE    t0, {THREAD_T}, tp
    csrr    t0, mcause
    SAVE    sp, {THREAD_SP}, tp
    addi    t0, t0, -8
    bnez    t0, not_call
    beqz    a7, null_call
    li      t0, {TABLE}
    bgeu    a7, t0, no_such_call
.if {WORD} == 8
    slli    t0, a7, 3
    la      a7, {calls}
    add     a7, a7, t0
    ld      t0, 0(a7)
.else
    slli    t0, a7, 2
    lui     a7, %hi({calls})
    add     a7, a7, t0
    lw      t0, %lo({calls})(a7)
.endif
    li      sp, {KERNEL}
    mv      a6, tp
    mv      a7, sp
    jalr    t0
    csrr    t0, mepc
    bnez    a1, switch_call
stay: # the caller goes on with a0, and a1 is 0
    LOAD    sp, {THREAD_SP}, tp
    LOAD    tp, {THREAD_TP}, tp
    addi    t0, t0, 4
    csrw    mepc, t0
    ZERO    ra, a2, a3, a4, a5, a6, a7, t0, t1, t2, t3, t4, t5, t6
    mret

null_call:
    csrr    t0, mepc
    addi    t0, t0, 4
    csrw    mepc, t0
    LOAD    t0, {THREAD_T}, tp
    li      a0, 0
    LOAD    tp, {THREAD_TP}, tp
    mret

switch_call: # or it goes on, as its context says
    beq     a1, tp, reload
    LOAD    t2, {PROCESS}, a1
    addi    t0, t0, 4
    LOAD    t3, {LOADED}, sp
    SAVE    t0, {THREAD_PC}, tp
switch:
    ENTER_SPACE
    CHARGE
    SAVE    s0, {THREAD_S}, tp
    LOAD    s0, {THREAD_S}, a1
    csrw    mscratch, a1
    csrw    mepc, t0
.irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    SAVE    s\n, {THREAD_S} + {WORD} * \n, tp
    LOAD    s\n, {THREAD_S} + {WORD} * \n, a1
.endr
depart: # for a1, whose callee-saved registers are loaded
    mv      tp, a1
    bnez    t1, as_kind
resume_call:
    LOAD    sp, {THREAD_SP}, tp
    LOAD    gp, {THREAD_GP}, tp
    LOAD    a0, {THREAD_A}, tp
    LOAD    tp, {THREAD_TP}, tp
    ZERO    ra, a1, a2, a3, a4, a5, a6, a7, t0, t1, t2, t3, t4, t5, t6
    mret
    CARRY
    LOAD_SPACE

no_such_call:
    csrr    t0, mepc
    li      a0, {NO_SUCH_CALL}
    li      a1, 0
    j       stay

# The caller goes on, with more than one result or with its call from the start.
reload:
    lbu     t1, {KIND}(tp)
    addi    t0, t0, 4
    csrw    mepc, t0
    bnez    t1, as_kind_alone
    j       resume_call

# tp goes on as the low byte of t1 says, and its time is limited if the rest is not 0.
as_kind:
    addi    t3, t1, -{KIND_FULL}
    beqz    t3, resume
    andi    t3, t1, 0xFF
    beq     t3, t1, as_kind_alone
limited:
    # (nothing is in registers but what functions preserve)
    mv      a0, tp
    mv      a1, sp
    call    {limit}
    lbu     t1, {KIND}(tp)
    addi    t3, t1, -{KIND_FULL}
    beqz    t1, resume_call
    beqz    t3, resume
as_kind_alone:
    addi    t3, t1, -{KIND_WORK}
    blez    t3, in_kernel
    li      a7, 0
    addi    t3, t1, -{KIND_AGAIN}
    bnez    t3, 1f
    csrr    t0, mepc
    LOAD    a7, {THREAD_A} + {WORD} * 7, tp
    addi    t0, t0, -4
    csrw    mepc, t0
1:
    sb      zero, {KIND}(tp)
    LOAD    sp, {THREAD_SP}, tp
    LOAD    gp, {THREAD_GP}, tp
    LOAD_A  tp, 0, 1, 2, 3, 4, 5, 6
    LOAD    tp, {THREAD_TP}, tp
    ZERO    ra, t0, t1, t2, t3, t4, t5, t6
    mret

# An interrupt or an exception: all but what functions preserve is saved.
not_call:
    SAVE    t1, {THREAD_T} + {WORD}, tp
    csrr    t1, mepc
    SAVE    ra, {THREAD_RA}, tp
    addi    ra, t0, 8
    SAVE    a0, {THREAD_A}, tp
    li      t0, {KIND_FULL}
    SAVE    t1, {THREAD_PC}, tp
    li      sp, {KERNEL}
    sb      t0, {KIND}(tp)
    mv      a0, tp
    SAVE    a1, {THREAD_A} + {WORD}, tp
    mv      a1, sp
    SAVE    a2, {THREAD_A} + {WORD} * 2, tp
    andi    t0, ra, 4
    SAVE_A  tp, 3, 4, 5, 6, 7
    SAVE_T  tp, 2, 3, 4, 5, 6
    bgez    ra, exception
    bnez    t0, timer
    call    {on_line}
interrupted:
    beqz    a1, resume_same
    beq     a1, tp, resume_same
    # out of a restartable sequence the thread goes on at its beginning
    LOAD    t2, {PROCESS}, tp
    LOAD    t0, {THREAD_PC}, tp
    LOAD    t4, {RESTART_BEGIN}, t2
    LOAD    t5, {RESTART_END}, t2
    LOAD    t2, {PROCESS}, a1
    LOAD    t3, {LOADED}, sp
    sub     t0, t0, t4
    sub     t5, t5, t4
    bgeu    t0, t5, switch
    SAVE    t4, {THREAD_PC}, tp
    j       switch

timer:
    call    {on_timer}
    j       interrupted

# It goes on; its time is up when it would have been.
resume_same:
    lhu     t1, {KIND}(tp)
    andi    t3, t1, 0xFF
    bne     t3, t1, limited
resume:
    sb      zero, {KIND}(tp)
    LOAD    ra, {THREAD_RA}, tp
    LOAD    sp, {THREAD_SP}, tp
    LOAD    gp, {THREAD_GP}, tp
    LOAD_A  tp, 0, 1, 2, 3, 4, 5, 6, 7
    LOAD_T  tp, 0, 1, 2, 3, 4, 5, 6
    LOAD    tp, {THREAD_TP}, tp
    mret

exception:
    mv      a2, ra
    csrr    a3, mtval
    call    {fault}
    j       interrupted

# tp lives in the kernel: it waits, or its turn is a piece of work. After each the
# hart looks at its timer and its lines.
in_kernel:
    bnez    t3, idle
1:
    mv      a0, tp
    mv      a1, sp
    call    {work}
    beqz    a1, 2f
    bne     a1, tp, discard
2:
    csrr    t0, mip
    andi    t1, t0, 0x80
    bnez    t1, 3f
    srli    t0, t0, 11
    andi    t0, t0, 1
    beqz    t0, 1b
    mv      a0, tp
    mv      a1, sp
    call    {on_line}
    beqz    a1, 1b
    beq     a1, tp, 1b
    j       discard
3:
    mv      a0, tp
    mv      a1, sp
    call    {on_timer}
    beqz    a1, 1b
    beq     a1, tp, 1b
    j       discard

idle:
1:
    wfi
    csrr    t0, mip
    mv      a0, tp
    mv      a1, sp
    andi    t0, t0, 0x80
    bnez    t0, 3f
    call    {on_line}
    beqz    a1, 1b
    beq     a1, tp, 1b
    j       discard
3:
    call    {on_timer}
    beqz    a1, 1b
    beq     a1, tp, 1b

# a1 runs next; tp, which lives in the kernel, has no registers to keep.
discard:
    LOAD    t2, {PROCESS}, a1
    LOAD    t3, {LOADED}, sp
    ENTER_SPACE
    CHARGE
    LOAD    s0, {THREAD_S}, a1
.irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    LOAD    s\n, {THREAD_S} + {WORD} * \n, a1
.endr
    csrw    mscratch, a1
    csrw    mepc, t0
    j       depart
    CARRY
    LOAD_SPACE

# From boot: a0 = the idle thread.
.globl giornata_begin
giornata_begin:
    mv      tp, a0
    csrw    mscratch, a0
    li      sp, {KERNEL}
    mv      a0, sp
    call    {start}
    bne     a1, tp, discard
    li      t3, {KIND_IDLE} - {KIND_WORK}
    j       in_kernel
.popsection
