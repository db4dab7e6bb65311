# The lock of the kernel, where there are several harts: tickets, so that whoever asks first
# has it first. The word of the next ticket lies before that of the one whose turn it is.

# Waits until it is the turn of the ticket b.
.macro AWAIT_LOCK a, b, c
5:
    lw      \c, 4(\a)
    bne     \c, \b, 5b
.endm

# Takes it, for the hart whose record is sp; three registers are the macro's. Whose turn it is is
# read before the ticket is drawn: it cannot become more than that. That it is free is predicted,
# and whoever has to wait does so out of the way.
.macro TAKE_LOCK a, b, c
.if {HARTS}
.option push
.option arch, +a
    li      \a, {LOCK}
    lw      \c, 4(\a)
    li      \b, 1
    amoadd.w.aq \b, \b, (\a)
    bne     \c, \b, 7f
6:
    fence   r, rw
    SAVE    sp, {HERE} - {LOCK}, \a
.subsection 1
7:
    AWAIT_LOCK \a, \b, \c
    j       6b
.previous
.option pop
.endif
.endm

# Into the kernel with a call, for whose function a6 is the thread. If another hart has interrupted
# this one, that comes first. With `table` the function is looked up meanwhile: t0 is its offset in
# the table of calls, which a6 leads to; and then t0 is it.
.macro ENTER_FOR_CALL table
    KERNEL_STACK tp
.if {HARTS}
.option push
.option arch, +a
    li      t1, {LOCK}
    lw      t3, 4(t1)
    li      t2, 1
    amoadd.w.aq t2, t2, (t1)
.if \table
    add     a6, a6, t0
    lw      t0, %lo({calls})(a6)
.endif
    bne     t3, t2, 7f
6:
    fence   r, rw
    lw      t2, {KICKED}(sp)
    mv      a6, tp
    SAVE    sp, {HERE} - {LOCK}, t1
    bnez    t2, too_late
.subsection 1
7:
    AWAIT_LOCK t1, t2, t3
    j       6b
.previous
.option pop
.else
    mv      a6, tp
.endif
.endm

# Gives it back, behind the last store to a record that another hart may use.
.macro GIVE_LOCK a, b
.if {HARTS}
    li      \a, {LOCK}
    lw      \b, 4(\a)
    STORE_LOCK \a, \b
.endif
.endm

# The same where the first register leads there, and the second is whose turn it is.
.macro STORE_LOCK a, b
.if {HARTS}
    addi    \b, \b, 1
    fence   rw, w
    sw      \b, 4(\a)
.endif
.endm

# The stack of the hart on which a thread runs, which ends at the record of that.
.macro KERNEL_STACK thread
.if {HARTS}
    LOAD    sp, {HART}, \thread
.else
    li      sp, {KERNEL}
.endif
.endm

# Who runs on which hart, behind an entry from tp whose outcome is a0 and a1: a1 is never 0 then.
.macro ASSIGN
.if {HARTS}
    mv      a2, tp
    call    {assign}
.endif
.endm
