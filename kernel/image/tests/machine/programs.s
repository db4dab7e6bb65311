# Programs of the tests, one for each thing that the trap path promises. All run from
# one text. `gp` and `tp` are constants of a thread: gp leads to the data of its process.
#
# A program that finds a promise broken executes an illegal instruction: the machine
# stops with status 1.

.option arch, +zicsr
.equ NULL, 0
.equ YIELD, 3
.equ CLOCK, 5
.equ SHUTDOWN, 8
.equ DEVICE_ADDRESS, 19
.equ SLEEP, 12
.equ AWAIT_INTERRUPT, 13

.macro CALL number
  li a7, \number
  ecall
.endm

.macro STORE register, offset, base
.if {WORD} == 8
  sd \register, \offset(\base)
.else
  sw \register, \offset(\base)
.endif
.endm
.macro FETCH register, offset, base
.if {WORD} == 8
  ld \register, \offset(\base)
.else
  lw \register, \offset(\base)
.endif
.endm

# Each register is the one before it plus x31.
.macro CHAIN before, next, rest:vararg
  add x\next, x\before, x31
  .ifnb \rest
  CHAIN \next, \rest
  .endif
.endm
.macro CHECK_CHAIN before, next, rest:vararg
  sub t0, x\next, x\before
  bne t0, x31, 9f
  .ifnb \rest
  CHECK_CHAIN \next, \rest
  .endif
.endm

.text
.globl _start
_start:
broken:
  unimp

# registers(step): fills every register with a chain of a step that no other thread has,
# and checks it for ever.
.globl registers
registers:
  STORE a0, 0, gp
  mv x31, a0
  slli x1, x31, 8
  CHAIN 1, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
  CHAIN 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
1:
  FETCH t0, 0, gp
  bne t0, x31, 9f
  slli t0, x31, 8
  bne t0, x1, 9f
  CHECK_CHAIN 1, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
  CHECK_CHAIN 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
  j 1b
9:
  j broken

# naps(ticks): sleeps for so many ticks, again and again. What a call preserves is as it
# was, and the rest is 0.
.globl naps
naps:
  mv x31, a1
  CHAIN 31, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
  mv s1, sp
1:
  CALL CLOCK
  bnez a0, 9f
  srli t0, x8, 1
  add a0, a1, t0
.if {WORD} == 8
  slli a0, a0, 32
  srli a0, a0, 32
.endif
  sltu t0, a0, a1
  add a1, a2, t0
  li x31, -1
  CHAIN 31, 1, 5, 6, 7, 12, 13, 14, 15, 16, 28, 29, 30
  CALL SLEEP
  .irp n, 1,5,6,7,10,11,12,13,14,15,16,17,28,29,30,31
  bnez x\n, 9f
  .endr
  bne s1, sp, 9f
  srli x31, x8, 1
  CHECK_CHAIN 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
  j 1b
9:
  j broken

# answer(call): a call that returns at once keeps what the ABI keeps, and zeroes the rest.
# Run by two threads that take turns, for ever.
.globl answer
answer:
  mv s0, a0
1:
  li x31, 0x1234
  CHAIN 31, 1
  CHAIN 8, 9
  CHAIN 31, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17
  CHAIN 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
  mv s1, sp
  mv a7, s0
  ecall
  .irp n, 1,5,6,7,11,12,13,14,15,16,17,28,29,30,31
  bnez x\n, 9f
  .endr
  bne s1, sp, 9f
  li x31, 0x1234
  CHECK_CHAIN 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
  li t0, YIELD
  beq s0, t0, 2f
  CALL YIELD
  j 1b
2:
  bnez a0, 9f
  j 1b
9:
  j broken

# null(): touches a0 alone.
.globl null
null:
1:
  li x31, 0x1234
  CHAIN 31, 1
  CHAIN 31, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
  CHAIN 15, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
  CALL NULL
  bnez x10, 9f
  bnez x17, 9f
  mv s2, s1
  add t1, x31, x31
  bne t1, x1, 9f
  li t1, 0x1234
  bne t1, x31, 9f
  CHECK_CHAIN 11, 12, 13, 14, 15, 16
  j 1b
9:
  j broken

# floating(step): a thread begins with nothing in the floating-point registers; then
# fills them and checks them for ever, the rounding mode too.
.if {FLOATING}
.option push
.option arch, +d
.globl floating
floating:
  mv s0, a0
  frcsr t0
  bnez t0, 9f
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  fsd f\n, 16(gp)
  lw t0, 16(gp)
  lw t1, 20(gp)
  or t0, t0, t1
  bnez t0, 9f
  .endr
  andi s1, s0, 3
  fsrm s1
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  addi t0, s0, \n
  fcvt.d.w f\n, t0
  .endr
1:
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  fcvt.w.d t0, f\n
  addi t0, t0, -\n
  bne t0, s0, 9f
  .endr
  frrm t0
  bne t0, s1, 9f
  j 1b
9:
  j broken

# refloating(): as floating, but faults after that; its process restarts.
.globl refloating
refloating:
  frcsr t0
  bnez t0, 9f
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  fsd f\n, 16(gp)
  lw t0, 16(gp)
  lw t1, 20(gp)
  or t0, t0, t1
  bnez t0, 9f
  .endr
  li t0, 0xE1
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  fcvt.d.w f\n, t0
  .endr
  fscsr t0
  ebreak
9:
  j fails
.option pop
.endif

# fresh(): a thread begins with zeros but for sp, its constants and arguments; then fills
# every register and faults. Its process restarts.
.globl fresh
fresh:
  .irp n, 1,5,6,7,8,9,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  bnez x\n, 9f
  .endr
  lw t0, 0(gp)
  bnez t0, 9f
  .irp n, 1,2,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  li x\n, -1
  .endr
  sw t0, 0(gp)
  ebreak
9:
  j fails

# fails(): stops the machine with status 3.
.globl fails
fails:
  li a0, 3
  CALL SHUTDOWN
  unimp

# late(ticks): sleeps until every multiple of so many ticks, and fails if it wakes later
# than an eighth of them.
.globl late
late:
  mv s0, a0
  slli s3, a0, 1
  CALL CLOCK
  add s2, a1, s3
1:
  mv a0, s2
  li a1, 0
  CALL SLEEP
  bnez a0, 9f
  CALL CLOCK
  sub t0, a1, s2
  slli t0, t0, 3
  bgeu t0, s0, 9f
  add s2, s2, s0
  j 1b
9:
  j fails

# transmitter(uart): the line interrupts when there is nothing to send. Each wait lets it
# come once; reading the cause ends it. Stops the machine with status 0 after three.
.globl transmitter
transmitter:
  mv s0, a0
  li s1, 3
1:
  sb zero, 1(s0)
  li t0, 2
  sb t0, 1(s0)
  li a0, 10
  CALL AWAIT_INTERRUPT
  bnez a0, 9f
  lbu t0, 2(s0)
  andi t0, t0, 15
  li t1, 2
  bne t0, t1, 9f
  addi s1, s1, -1
  bnez s1, 1b
  sb zero, 1(s0)
  li a0, 0
  CALL SHUTDOWN
9:
  j fails

# turns(count): counts for itself in that word; with a quantum each gets its share.
.globl turns
turns:
  slli a1, a1, 2
  add s2, gp, a1
1:
  lw t0, 0(s2)
  addi t0, t0, 1
  sw t0, 0(s2)
  j 1b

# fair(ticks): compares the counts of two after so many ticks: none has more than twice
# the other's.
.globl fair
fair:
  mv s0, a0
  CALL CLOCK
  add a0, a1, s0
  mv a1, a2
  CALL SLEEP
  lw t0, 0(gp)
  lw t1, 4(gp)
  beqz t0, 9f
  beqz t1, 9f
  slli t2, t0, 1
  bltu t2, t1, 9f
  slli t2, t1, 1
  bltu t2, t0, 9f
  li a0, 0
  CALL SHUTDOWN
9:
  j fails

# spin(): for ever.
.globl spin
spin:
  j spin

# --- what a process may not do: a0 = the address
.globl load
load:
  lw t0, 0(a0)
1:
  j 1b
.globl store
store:
  sw zero, 0(a0)
  lw t0, 0(gp)
1:
  j 1b
.globl jump
jump:
  jr a0
.globl read_status
read_status:
  csrr t0, mstatus
1:
  j 1b
.globl write_trap_vector
write_trap_vector:
  csrw mtvec, zero
1:
  j 1b
.globl return_from_trap
return_from_trap:
  mret
1:
  j 1b

# yields(): gives the processor away for ever.
.globl yields
yields:
  CALL YIELD
  j yields

# counter(): adds 1 to a counter for ever by load, dawdle and store.
# Each of the two blocks begins anew by itself.
.globl counter
counter:
.option push
.option norvc
.balign 32
.globl counter_begin
counter_begin:
  lw t0, 0(gp)
  addi t0, t0, 1
  nop
  nop
  nop
  nop
  nop
  sw t0, 0(gp)
  lw t0, 0(gp)
  addi t0, t0, 1
  nop
  nop
  nop
  nop
  nop
  sw t0, 0(gp)
.globl counter_end
counter_end:
.option pop
  j counter

# counts_now_and_then(): more urgent, it adds 1 at odd instants, sleeps for an instant,
# and faults if that is lost when the other has counted on.
.globl counts_now_and_then
counts_now_and_then:
  li s0, 1500
1:
  lw s1, 0(gp)
  addi s1, s1, 1000
  sw s1, 0(gp)
  CALL CLOCK
  xori s0, s0, 13
  addi s2, s2, 1
  andi s2, s2, 31
  add a0, a1, s0
  add a0, a0, s2
  mv a1, a2
  CALL SLEEP
  lw t0, 0(gp)
  blt t0, s1, 9f
  j 1b
9:
  j broken
