# Programs of the tests, one for each thing that the edge promises. All run from
# one text; the data page of each process lies at DATA.
#
# A program that finds a promise broken reports 0xBAD and a number, and stops the
# machine with status 1.

.option arch, +d
.equ DATA, 0x10010000
.equ UART, 0x40000000
.equ NULL, 0
.equ YIELD, 1
.equ EXIT, 2
.equ CLOCK, 5
.equ SLEEP, 6
.equ AWAIT_INTERRUPT, 7
.equ LOG, 11
.equ SHUTDOWN, 12

.macro CALL number
  li a7, \number
  ecall
.endm

# Logs two words of 32 bits.
.macro REPORT first, second
  mv a3, \second
  mv a1, \first
  li a2, 0
  li a4, 0
  li a0, 16
  CALL LOG
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
  unimp

# a0 = what is broken
broken:
  mv s0, a0
  li s1, 0xBAD
  REPORT s1, s0
  li a0, 1
  CALL SHUTDOWN
  unimp

# registers(step): fills every register with a chain of a step that no other
# thread has, and checks it for ever.
.globl registers
registers:
  lui t0, %hi(DATA)
  sd a0, 0(t0)
  mv x31, a0
  slli x1, x31, 8
  CHAIN 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
  CHAIN 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
1:
  lui t0, %hi(DATA)
  ld t0, 0(t0)
  bne t0, x31, 9f
  slli t0, x31, 8
  bne t0, x1, 9f
  CHECK_CHAIN 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
  CHECK_CHAIN 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
  j 1b
9:
  li a0, 1
  j broken

# floating(step): a thread begins with nothing in the floating-point registers;
# then fills them and checks them for ever, the rounding mode too.
.globl floating
floating:
  mv s0, a0
  frcsr t0
  bnez t0, 9f
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  fmv.x.d t0, f\n
  bnez t0, 9f
  .endr
  andi s1, s0, 3
  fsrm s1
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  addi t0, s0, \n
  fmv.d.x f\n, t0
  .endr
  li s2, 0
1:
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  fmv.x.d t0, f\n
  addi t0, t0, -\n
  bne t0, s0, 9f
  .endr
  frrm t0
  bne t0, s1, 9f
  j 1b
9:
  li a0, 2
  j broken

# refloating(step): as floating, but faults after a while; its process restarts.
.globl refloating
refloating:
  frcsr t0
  bnez t0, 9f
  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  fmv.x.d t0, f\n
  bnez t0, 9f
  fmv.d.x f\n, a0
  .endr
  fscsr a0
  ebreak
9:
  li a0, 3
  j broken

# fresh(): a thread begins with zeros but for sp and its arguments; then fills
# every register and faults; its process restarts.
.globl fresh
fresh:
  .irp n, 1,3,5,6,7,8,9,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  bnez x\n, 9f
  .endr
  addi t0, tp, 1 # tp: where the control page ends
  beqz t0, 9f
  .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
  li x\n, -1
  .endr
  ebreak
9:
  li a0, 17
  j broken

# answer(): a system call keeps what the ABI keeps, and zeroes the rest.
.globl answer
answer:
  li x31, 0x1234
  CHAIN 31, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  CHAIN 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
  CALL YIELD
  .irp n, 5,6,7,10,11,12,13,14,15,16,17,28,29,30,31
  bnez x\n, 9f
  .endr
  li x31, 0x1234
  add t0, x31, x31
  bne t0, x1, 9f
  CHECK_CHAIN 1, 2, 3, 4
  sub t0, x9, x8
  bne t0, x31, 9f
  CHECK_CHAIN 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
  li a0, 0
  CALL SHUTDOWN
9:
  li a0, 4
  j broken

# measure(): instructions of 100 system calls of some kinds, and of none.
.macro MEASURE number
  li s0, 100
  rdinstret s1
1:
  CALL \number
  addi s0, s0, -1
  bnez s0, 1b
  rdinstret s2
  sub s2, s2, s1
  li s3, \number
  REPORT s3, s2
.endm
.globl measure
measure:
  MEASURE NULL
  MEASURE YIELD
  MEASURE CLOCK
  li a0, 0
  CALL SHUTDOWN

# yields(): gives the processor away for ever.
.globl yields
yields:
  CALL YIELD
  j yields

# measure_switch(): instructions of 100 yields to an equal that yields back.
.globl measure_switch
measure_switch:
  MEASURE YIELD
  li a0, 0
  CALL SHUTDOWN

# sleeper(): sleeps until every multiple of 1 ms, 20 times, and reports how late
# it was, in nanoseconds.
.globl sleeper
sleeper:
  li s0, 1000000
  li s1, 20
  li s2, 0
1:
  add s2, s2, s0
  mv a0, s2
  srli a1, s2, 32
  CALL SLEEP
  bnez a0, 9f
  CALL CLOCK
  sub s3, a1, s2
  REPORT s1, s3
  addi s1, s1, -1
  bnez s1, 1b
  li a0, 0
  CALL SHUTDOWN
9:
  li a0, 5
  j broken

# transmitter(): the UART interrupts when it has nothing to send. Each wait lets
# the line come once; reading the cause ends it.
.globl transmitter
transmitter:
  li s0, UART
  li s1, 3
1:
  sb zero, 1(s0)
  li t0, 2
  sb t0, 1(s0)
  li a0, 10
  CALL AWAIT_INTERRUPT
  bnez a0, 9f
  lbu s2, 2(s0)
  REPORT s1, s2
  addi s1, s1, -1
  bnez s1, 1b
  sb zero, 1(s0)
  li a0, 0
  CALL SHUTDOWN
9:
  li a0, 6
  j broken

# spin(): for ever.
.globl spin
spin:
  j spin

# counter(): adds 1 to a counter 20,000 times by load, dawdle and store; then
# to a count of those who are done. The last one reports the counter.
.globl counter
counter:
  lui s0, %hi(DATA)
  li s1, 20000
1:
.globl counter_begin
counter_begin:
  ld t0, 0(s0)
  addi t0, t0, 1
  nop
  nop
  nop
  nop
  sd t0, 0(s0)
.globl counter_end
counter_end:
  addi s1, s1, -1
  bnez s1, 1b
  lw t0, 8(s0)
  addi t0, t0, 1
  sw t0, 8(s0)
  li t1, 2
  bne t0, t1, 2f
  ld s2, 0(s0)
  REPORT s1, s2
  li a0, 0
  CALL SHUTDOWN
2:
  CALL EXIT

# --- what a process may not do
.globl load_kernel
load_kernel:
  li t0, 0x80000000
  ld t0, 0(t0)
  j 9f
.globl store_text
store_text:
  la t0, store_text
  sd t0, 0(t0)
  j 9f
.globl store_timer
store_timer:
  li t0, 0x02004000
  sd zero, 0(t0)
  j 9f
.globl load_far
load_far:
  li t0, -8
  ld t0, 0(t0)
  j 9f
.globl jump_data
jump_data:
  lui t0, %hi(DATA)
  jr t0
.globl jump_null
jump_null:
  jr zero
.globl jump_kernel
jump_kernel:
  li t0, 0x80000000
  jr t0
.globl read_status
read_status:
  csrr t0, mstatus
  j 9f
.globl write_trap_vector
write_trap_vector:
  csrw mtvec, zero
  j 9f
.globl write_space
write_space:
  csrw satp, zero
  j 9f
.globl return_from_trap
return_from_trap:
  mret
  j 9f
.globl wait_for_interrupt
wait_for_interrupt:
  wfi
  j 9f
.globl read_time
read_time:
  rdtime t0
  j 9f
.globl breakpoint
breakpoint:
  ebreak
  j 9f
.globl recursion
recursion:
  addi sp, sp, -64
  sd ra, 0(sp)
  call recursion
9:
  li a0, 7
  j broken
