# What is measured on the chip: nothing but the call lies between two marks. A mark is an
# instruction that does nothing, and that the simulator sees.

.macro MARK n
  slti x0, x0, \n
.endm

.globl figure_null
figure_null:
  MARK 1
  CALL NULL
  MARK 2
  MARK 3
  CALL NO_CALL
  MARK 4
  j figure_null

.globl figure_yield
figure_yield:
  MARK 1
  CALL YIELD
  MARK 2
  j figure_yield

# figure_line(address of the generator)
.globl figure_line
figure_line:
  mv s1, a0
  li s0, 600
1:
  xori s0, s0, 7
  sw s0, 0(s1)
  li a0, 1
  CALL AWAIT_INTERRUPT
  MARK 3
  sw zero, 4(s1)
  lw t0, 0(s1)
  j 1b

# figure_sleep(ticks)
.globl figure_sleep
figure_sleep:
  mv s0, a0
1:
  CALL CLOCK
  xori s0, s0, 7
  add a0, a1, s0
  mv a1, a2
  MARK 1
  CALL SLEEP
  MARK 2
  bnez a0, broken
  j 1b

# figure_far(): sleeps far away
.globl figure_far
figure_far:
  CALL CLOCK
  slli t0, a0, 10
  li t0, 50000000
  add a0, a1, t0
  mv a1, a2
  CALL SLEEP
  j broken
