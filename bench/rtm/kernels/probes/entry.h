/* For assembly: which interrupt has come, and that the application goes on. The instructions
 * before the one and after the other are the same in every run; the host adds their cycles. */
.macro ENTERED scratch, value
    li \scratch, 0xF0000000
    csrr \value, mcause
    sw \value, 0x20(\scratch)
.endm

.macro LEFT scratch, value
    li \scratch, 0xF0000000
    li \value, 0x10
    sw \value, 0x20(\scratch)
.endm
