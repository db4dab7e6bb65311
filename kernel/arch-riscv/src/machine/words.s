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
