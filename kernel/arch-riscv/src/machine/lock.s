# The lock of the kernel, where there are several harts: tickets, so that whoever asks first
# has it first. The word of the next ticket lies before that of the one whose turn it is.

# Takes it, for the hart whose record is sp; three registers are the macro's.
.macro TAKE_LOCK a, b, c
.if {HARTS}
.option push
.option arch, +a
    li      \a, {LOCK}
    li      \b, 1
    amoadd.w.aq \b, \b, (\a)
7:
    lw      \c, 4(\a)
    bne     \c, \b, 7b
    fence   r, rw
    SAVE    sp, {HERE} - {LOCK}, \a
.option pop
.endif
.endm

# Into the kernel with a call. If another hart has interrupted this one, that comes first.
.macro ENTER_FOR_CALL
    KERNEL_STACK tp
    TAKE_LOCK t1, t2, t3
.if {HARTS}
    lw      t1, {KICKED}(sp)
    bnez    t1, too_late
.endif
.endm

# Gives it back, behind the last store to a record that another hart may use.
.macro GIVE_LOCK a, b
.if {HARTS}
    li      \a, {LOCK}
    lw      \b, 4(\a)
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
