/* For assembly: nothing is told. */
.macro ENTERED scratch, value
.endm

.macro LEFT scratch, value
.endm
