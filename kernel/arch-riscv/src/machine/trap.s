# The trap path. See trap.rs.

.macro ZERO registers:vararg
.irp register, \registers
    li      \register, 0
.endr
.endm

# Registers in the record of a thread.
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

# 32 bits without a sign.
.macro LOAD_WORD register, offset, base
.if {WORD} == 8
    lwu     \register, \offset(\base)
.else
    lw      \register, \offset(\base)
.endif
.endm

# The low word of the clock.
.macro NOW register
.if {MCYCLE}
    csrr    \register, mcycle
.elseif {TIME}
    csrr    \register, time
.else
    li      \register, {MTIME}
    lw      \register, 0(\register)
.endif
.endm

# How a thread goes on, into t1; where the exit path sets alarms, whether it is limited above.
.macro LOAD_KIND thread
.if {HARTS}
    lbu     t1, {KIND}(\thread)
.else
    lhu     t1, {KIND}(\thread)
.endif
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
    # a thread's tenancy is how many of the calls are its own
    lbu     sp, {TENANCY}(tp)
.if {WORD} == 8
    slli    t0, a7, 3
    bgeu    a7, sp, not_its_call
    la      a6, {calls}
    add     a6, a6, t0
    ld      t0, 0(a6)
.else
    slli    t0, a7, 2
    lui     a6, %hi({calls})
    bgeu    a7, sp, not_its_call
.if {HARTS} == 0
    add     a6, a6, t0
    lw      t0, %lo({calls})(a6)
.endif
.endif
    ENTER_FOR_CALL {HARTS} & ({WORD} == 4)
    jalr    t0
called:
.if {HARTS}
    # (if nothing has changed the caller goes on, whoever else is the first of the queue)
    li      t1, {LOCK}
    lw      t3, {CHANGED} - {LOCK}(t1)
    lw      t2, 4(t1)
    csrr    t0, mepc
    bnez    t3, changed
    bnez    a1, goes_on
    STORE_LOCK t1, t2
.else
    csrr    t0, mepc
    bnez    a1, switch_call
.endif
unlocked: # the caller goes on with a0, and a1 is 0
    LOAD    sp, {THREAD_SP}, tp
    LOAD    tp, {THREAD_TP}, tp
    addi    t0, t0, 4
    csrw    mepc, t0
    ZERO    ra, a2, a3, a4, a5, a6, a7, t0, t1, t2, t3, t4, t5, t6
    mret

.if {HARTS}
changed: # who runs is decided anew
    ASSIGN
    csrr    t0, mepc
    j       switch_call

goes_on: # as its context says
    addi    t0, t0, 4
    beq     a1, tp, reload
    li      a0, 0
    j       reload

# The hart has been interrupted by another, which may have ended the caller's process: that comes
# first, and the call is made again behind it.
too_late:
    GIVE_LOCK t1, t2
    LOAD    t0, {THREAD_T}, tp
    LOAD    sp, {THREAD_SP}, tp
    LOAD    tp, {THREAD_TP}, tp
    ZERO    t1, t2, t3, a6
    mret
.endif

null_call:
    csrr    t0, mepc
    addi    t0, t0, 4
    csrw    mepc, t0
    LOAD    t0, {THREAD_T}, tp
    li      a0, 0
    LOAD    tp, {THREAD_TP}, tp
    mret

switch_call: # or it goes on, as its context says
    addi    t0, t0, 4
    beq     a1, tp, reload
    LOAD    t6, {CONTROL}, tp
    LOAD    t2, {PROCESS}, a1
    SAVE    t0, {THREAD_PC}, tp

# The hart leaves tp for a1; a0 is the reason, t2 the process of a1, t6 the control page
# of tp. ra is 0 if tp lives in the kernel and has no registers to keep.
switch:
.if {HARTS} == 0 # (else that has been seen to)
    # a ceiling that it has published, or a mutex that it will lock, comes first
    beqz    t6, page_heeded
    lw      t4, {CEILING}(t6)
    lw      t5, {NEXT_LOCK}(t6)
    LOAD    t3, {LOADED}, sp
    LOAD    t6, {STACK}, a1
    or      t4, t4, t5
    bnez    t4, heed_page
.else
    LOAD    t3, {LOADED}, sp
    LOAD    t6, {STACK}, a1
.endif
enter_space: # t3: the process whose space the hart has loaded, t6: the stack of a1
.if {REGIONS}
    # The stack of a thread that has one of its own, or the guard below it. Who has neither
    # needs neither: what the entry holds is closed to it, or means nothing.
    bnez    t6, load_stack
stack_loaded:
.endif
    bne     t2, t3, load_space
space_loaded:
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
.if {HARTS} == 0 # (else that has been done)
    # tp is charged for the time since it was entered
    NOW     t0
    lw      t4, {SINCE}(sp)
    lw      t3, {SPENT}(tp)
    lw      t5, {WRITTEN}(sp)
    sw      t0, {SINCE}(sp)
    sub     t6, t0, t4
    add     t3, t3, t6
    lw      t4, {MASK}(sp)
    sw      t3, {SPENT}(tp)
    bltu    t3, t6, carry
carried:
    # the record of the switch
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
.else
    LOAD    t0, {THREAD_PC}, a1
    lbu     t1, {KIND}(a1)
.endif
    mv      sp, a1
    csrw    mscratch, a1
    csrw    mepc, t0
    beqz    ra, load_preserved
.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    SAVE    s\n, {THREAD_S} + {WORD} * \n, tp
    LOAD    s\n, {THREAD_S} + {WORD} * \n, sp
.endr
depart: # for sp, whose callee-saved registers are loaded
    GIVE_LOCK t2, t3
depart_unlocked:
    bnez    t1, as_kind
resume_call:
    LOAD    gp, {THREAD_GP}, sp
    LOAD    a0, {THREAD_A}, sp
    LOAD    tp, {THREAD_TP}, sp
    LOAD    sp, {THREAD_SP}, sp
    ZERO    ra, a1, a2, a3, a4, a5, a6, a7, t0, t1, t2, t3, t4, t5, t6
    mret

load_preserved:
.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    LOAD    s\n, {THREAD_S} + {WORD} * \n, sp
.endr
    j       depart

.if {HARTS} == 0
carry:
    lw      t6, {SPENT_HIGH}(tp)
    addi    t6, t6, 1
    sw      t6, {SPENT_HIGH}(tp)
    j       carried
.endif

# Loads the space of the process t2; t3 = that of before. A process of the kernel's
# own threads has none, and leaves the other in place. Of a process that is not alive the
# kernel thread that ends it runs.
load_space:
    lw      t1, {LIFE}(t2)
.if {REGIONS}
    LOAD    t0, {SPACE} + {WORD} * {SPACE_RIGHTS}, t2
    LOAD    t4, {SPACE} + {WORD} * ({SPACE_PLACES} + 0), t2
    LOAD    t5, {SPACE} + {WORD} * ({SPACE_PLACES} + 1), t2
    LOAD    t6, {SPACE} + {WORD} * ({SPACE_PLACES} + 2), t2
    bnez    t1, not_alive
    beqz    t0, space_loaded
    csrw    pmpaddr2, t4
    LOAD    t4, {SPACE} + {WORD} * ({SPACE_PLACES} + 3), t2
    csrw    pmpaddr3, t5
    LOAD    t5, {SPACE} + {WORD} * {SPACE_WIDE}, t2
    csrw    pmpaddr4, t6
    LOAD    t6, {SPACE} + {WORD} * {SPACE_WIDE}, t3
    SAVE    t2, {LOADED}, sp
    bnez    t4, load_more
three_loaded:
    or      t5, t5, t6
    LOAD    t4, {SPACE} + {WORD} * {SPACE_RIGHTS}, t3
    LOAD    t6, {SPACE} + {WORD} * ({SPACE_RIGHTS} + 1), t3
    bnez    t5, load_wide
    LOAD    t5, {SPACE} + {WORD} * ({SPACE_RIGHTS} + 1), t2
.if {PMP_CACHE}
    csrw    pmpcfg0, t0
.else
    bne     t0, t4, load_rights
.endif
rights_loaded:
    beq     t5, t6, space_loaded
    csrw    pmpcfg1, t5
    j       space_loaded
load_rights:
    csrw    pmpcfg0, t0
    j       rights_loaded
load_stack:
    csrw    pmpaddr1, t6
.if {PMP_CACHE}
    csrr    t4, pmpcfg0
    csrw    pmpcfg0, t4
.endif
    j       stack_loaded
load_more: # it has more than three regions
    csrw    pmpaddr5, t4
    LOAD    t4, {SPACE} + {WORD} * ({SPACE_PLACES} + 4), t2
    csrw    pmpaddr6, t4
    LOAD    t4, {SPACE} + {WORD} * ({SPACE_PLACES} + 5), t2
    csrw    pmpaddr7, t4
    j       three_loaded
load_wide: # either has more than eight entries, or what is loaded is not known
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
    j       space_loaded
.else
    LOAD    t4, {SPACE}, t2
    bnez    t1, not_alive
    beqz    t4, space_loaded
    SAVE    t2, {LOADED}, sp
    csrw    satp, t4
    sfence.vma
    j       space_loaded
.endif
not_alive:
    LOAD    a1, {REAPER}, t2
    bne     a1, tp, space_loaded
    # it is the reaper that was left, in whose next piece the dead one ends
    j       turn_unlocked

not_its_call: # or nobody's
.if {POSIX}
    # the call behind the table is every ordinary thread's
    li      t0, {POSIX_CALL}
    bne     a7, t0, 2f
    li      t0, {COUNT}
    bltu    sp, t0, 2f
    ENTER_FOR_CALL 0
    call    {posix}
    j       called
2:
.endif
    li      a1, {COUNT}
    csrr    t0, mepc
    li      a0, {NOT_ITS_CALL}
    bltu    a7, a1, 1f
    li      a0, {NO_SUCH_CALL}
1:
    li      a1, 0
    j       unlocked

.if {HARTS} == 0
page_heeded:
    LOAD    t3, {LOADED}, sp
    LOAD    t6, {STACK}, a1
    j       enter_space

# The control page of tp says something: who runs next is decided with it.
heed_page:
    mv      a2, a1
    mv      a1, a0
    mv      a0, tp
    call    {heed_page}
    LOAD    t2, {PROCESS}, a1
    bne     a1, tp, page_heeded
    LOAD    t0, {THREAD_PC}, tp
    lhu     t1, {KIND}(tp)
    csrw    mepc, t0
    mv      sp, tp
    j       depart
.endif

# The caller goes on: with six words that lie where a0 leads, with a1 and a2 of its
# context, or as that says.
reload:
    csrw    mepc, t0
    GIVE_LOCK t1, t2
    andi    t1, a0, {REASON}
    LOAD    sp, {THREAD_SP}, tp
    bnez    t1, reload_pair
    beqz    a0, reload_context
    LOAD_WORD a1, 0, a0
    LOAD_WORD a2, 4, a0
    LOAD_WORD a3, 8, a0
    LOAD_WORD a4, 12, a0
    LOAD_WORD a5, 16, a0
    LOAD_WORD a6, 20, a0
    LOAD    tp, {THREAD_TP}, tp
    ZERO    ra, a0, a7, t0, t1, t2, t3, t4, t5, t6
    mret
reload_pair:
    addi    t1, t1, -{PAIR}
    li      a0, 0
    bnez    t1, reload_context
    LOAD_A  tp, 1, 2
    LOAD    tp, {THREAD_TP}, tp
    ZERO    ra, a3, a4, a5, a6, a7, t0, t1, t2, t3, t4, t5, t6
    mret
reload_context:
    LOAD_KIND tp
    mv      sp, tp
    beqz    t1, reload_call

# The thread in sp goes on as the low byte of t1 says; its time is limited if the rest is
# not 0.
as_kind:
.if {POSIX} && {HARTS} == 0
    addi    t3, t1, -{CALL_LIMITED}
    bnez    t3, 1f
    # the alarm rings before it may have used its time up, as a rule
.if {WORD} == 8
    li      t5, {KERNEL} + {ALARM}
    lw      t5, 0(t5)
.else
    lui     t5, %hi({KERNEL} + {ALARM})
    lw      t5, %lo({KERNEL} + {ALARM})(t5)
.endif
    li      t2, {KERNEL}
    lw      t0, {LIMIT}(sp)
    LOAD    t3, {DONOR}, t2
    lw      t4, {SINCE}(t2)
    lw      t2, {SPENT}(sp)
    sub     t0, t0, t5
    add     t4, t4, t0
.if {WORD} == 8
    subw    t4, t4, t2
.else
    sub     t4, t4, t2
.endif
    bnez    t3, limited
    bgez    t4, resume_call
    j       limited
1:
.endif
    addi    t3, t1, -{KIND_RESULTS}
    bnez    t3, as_other_kind
results:
    li      a7, 0
with_number:
    sb      zero, {KIND}(sp)
    LOAD    gp, {THREAD_GP}, sp
    LOAD_A  sp, 0, 1, 2, 3, 4, 5, 6
    LOAD    tp, {THREAD_TP}, sp
    LOAD    sp, {THREAD_SP}, sp
    ZERO    ra, t0, t1, t2, t3, t4, t5, t6
    mret
reload_call:
    j       resume_call
as_other_kind:
    addi    t3, t1, -{KIND_FULL}
    beqz    t3, resume
    andi    t3, t1, 0xFF
    beq     t3, t1, as_kind_alone
limited:
    # (nothing is in registers but what functions preserve)
    mv      tp, sp
.if {HARTS} == 0 # (else the alarm is set)
    mv      a0, sp
    li      sp, {KERNEL}
    call    {limit}
    mv      sp, tp
.endif
    lbu     t1, {KIND}(tp)
    addi    t3, t1, -{KIND_FULL}
    beqz    t1, resume_call
    beqz    t3, resume
as_kind_alone:
    addi    t3, t1, -{KIND_WORK}
    blez    t3, in_kernel
    addi    t3, t1, -{KIND_RESULTS}
    beqz    t3, results
    bgtz    t3, user_in_kernel
    # its call begins again
    csrr    t0, mepc
    LOAD    a7, {THREAD_A} + {WORD} * 7, sp
    addi    t0, t0, -4
    csrw    mepc, t0
    j       with_number

# An interrupt or an exception: all but what functions preserve is saved.
not_call:
    mv      sp, tp
    SAVE    t1, {THREAD_T} + {WORD}, sp
    csrr    t1, mepc
    SAVE    ra, {THREAD_RA}, sp
    addi    ra, t0, 8
    SAVE    a0, {THREAD_A}, sp
    li      t0, {KIND_FULL}
    SAVE    t1, {THREAD_PC}, sp
    mv      a0, tp
    sb      t0, {KIND}(sp)
    andi    t0, ra, 4
    SAVE_A  sp, 1, 2, 3, 4, 5, 6, 7
    SAVE_T  sp, 2, 3, 4, 5, 6
    KERNEL_STACK tp
    TAKE_LOCK t1, t2, t3
    bgez    ra, exception
    bnez    t0, timer
.if {HARTS}
    andi    t0, ra, 8
    beqz    t0, kicked
.endif
    call    {on_line}
interrupted:
    ASSIGN
    beqz    a1, resume_same
    beq     a1, tp, resume_same
    # out of a restartable sequence the thread goes on where its block begins
    LOAD    t2, {PROCESS}, tp
    LOAD    t0, {THREAD_PC}, tp
    LOAD    t4, {RESTART_BEGIN}, t2
    LOAD    t5, {RESTART_BYTES}, t2
    LOAD    t2, {PROCESS}, a1
    LOAD    t6, {CONTROL}, tp
    sub     t4, t0, t4
    bgeu    t4, t5, switch
    andi    t0, t0, -{RESTART_BLOCK}
    SAVE    t0, {THREAD_PC}, tp
    j       switch

timer:
    call    {on_timer}
    j       interrupted

.if {HARTS}
kicked:
    call    {on_kick}
    j       interrupted
.endif

exception:
    mv      a1, ra
    csrr    a2, mtval
    call    {fault}
    j       interrupted

# It goes on; its time is up when it would have been.
resume_same:
    LOAD_KIND tp
    mv      sp, tp
    GIVE_LOCK t2, t3
    addi    t3, t1, -{KIND_FULL}
    bnez    t3, resume_limited
resume:
    sb      zero, {KIND}(sp)
    LOAD    ra, {THREAD_RA}, sp
    LOAD    gp, {THREAD_GP}, sp
    LOAD_A  sp, 0, 1, 2, 3, 4, 5, 6, 7
    LOAD_T  sp, 0, 1, 2, 3, 4, 5, 6
    LOAD    tp, {THREAD_TP}, sp
    LOAD    sp, {THREAD_SP}, sp
    mret

# Its time is limited, or what it did was stopped and it begins with something else.
resume_limited:
    LOAD    t0, {THREAD_PC}, tp
    csrw    mepc, t0
    j       limited

# The thread, which is one of user mode, has something to do in the kernel. If it comes from
# there its record does not have its registers yet.
user_in_kernel:
    csrr    t0, mepc
.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    SAVE    s\n, {THREAD_S} + {WORD} * \n, sp
.endr
    SAVE    t0, {THREAD_PC}, sp
    li      t3, 0

# The thread lives in the kernel: it waits, or its turn is a piece of work. Before each
# the hart looks at its timer and its lines, so what it does in one go is bounded.
in_kernel:
    mv      tp, sp
    KERNEL_STACK tp
    beqz    t3, turn
idle:
.if {HARTS} == 0
    # if another is the first of the queue, it has the turn only to look at these
    LOAD    t0, {FIRST}, sp
    bne     t0, tp, turn
.endif
    wfi
look: # lines first, as the hart does in user mode
    TAKE_LOCK t1, t2, t3
look_locked:
    csrr    t0, mip
    mv      a0, tp
.if {HARTS}
    lw      t2, {KICKED}(sp)
    andi    t1, t0, {KICK}
    or      t1, t1, t2
    beqz    t1, 8f
    call    {on_kick}
    j       turned
8:
.endif
    srli    t0, t0, 11
    bnez    t0, 1f
    call    {on_timer}
    j       turned
1:
    call    {on_line}
turned:
    ASSIGN
    beqz    a1, 1f
    bne     a1, tp, discard
1:
    lbu     t1, {KIND}(tp)
    addi    t3, t1, -{KIND_WORK}
    beqz    t3, turn_unlocked
    addi    t3, t1, -{KIND_IDLE}
    beqz    t3, idle_unlocked
    addi    t3, t1, -{KIND_FINISHES}
    bgez    t3, turn_unlocked
    # it has done what it had to do in the kernel
    mv      a1, tp
    j       discard

.if {HARTS}
idle_unlocked:
    GIVE_LOCK t2, t3
    j       idle
turn_unlocked:
    GIVE_LOCK t2, t3
.else
.set idle_unlocked, idle
.set turn_unlocked, turn
.endif
turn:
    csrr    t0, mip
.if {HARTS}
    li      t1, 0x888
    and     t0, t0, t1
    bnez    t0, look
    TAKE_LOCK t1, t2, t3
    lw      t1, {KICKED}(sp)
    bnez    t1, look_locked
    mv      a0, tp
.else
    mv      a0, tp
    srli    t0, t0, 7
    andi    t0, t0, 0x11
    bnez    t0, look
.endif
    call    {work}
    ASSIGN
    beqz    a1, 1b
    beq     a1, tp, 1b

# a1 runs next; tp, which lives in the kernel or has something to do there, has no registers
# to keep. Only one of user mode has a control page.
discard:
    LOAD    t5, {CONTROL}, tp
    LOAD    t2, {PROCESS}, a1
    LOAD    t3, {LOADED}, sp
    LOAD    t6, {STACK}, a1
    li      ra, 0
.if {HARTS} == 0
    beqz    t5, enter_space
    beq     a1, tp, enter_space
    mv      t6, t5
    j       switch
.else
    j       enter_space
.endif

# From boot: a0 = the idle thread.
.globl giornata_begin
giornata_begin:
    mv      tp, a0
    csrw    mscratch, a0
    KERNEL_STACK tp
    TAKE_LOCK t1, t2, t3
    call    {start}
    ASSIGN
    bne     a1, tp, discard
    j       idle_unlocked

.if {HARTS}
# Another hart, in its idle thread, which is a0.
.globl giornata_join
giornata_join:
    mv      tp, a0
    csrw    mscratch, a0
    KERNEL_STACK tp
    j       look
.endif
.popsection
