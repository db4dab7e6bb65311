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
  li a0, 0
  MARK 3
  CALL DEVICE_ADDRESS
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
  li t0, 50000000
  add a0, a1, t0
  mv a1, a2
  CALL SLEEP
  j broken

# --- services: objects by slot, see figures.rs
.equ READY, 0
.equ OTHER, 1
.equ BUS, 2
.equ BUS2, 3
.equ CHANGE, 4
.equ BOX, 5
.equ BOX2, 6
.equ SPARE, 7

.macro ON object
  li a0, \object
  li a1, 1
.endm
.macro OK
  bnez a0, broken
.endm
.macro TAKE object
  ON \object
  li a2, -1
  li a3, -1
  li a4, 0
  CALL 23
.endm
.macro GIVE object
  ON \object
  li a2, 0
  CALL 24
.endm
.macro WAIT object, mutex
  ON \object
  li a2, \mutex
  li a3, -1
  li a4, -1
  li a5, 0
  CALL 25
.endm
.macro SIGNAL object
  ON \object
  CALL 26
.endm
.macro WORDS
  mv a2, s2
  mv a3, s3
  mv a4, s4
  mv a5, s5
.endm
.macro SEND object
  ON \object
  WORDS
  CALL 28
.endm
.macro RECEIVE object
  ON \object
  li a2, -1
  li a3, -1
  CALL 30
.endm

.globl figure_give
figure_give: # less urgent
  MARK 42
  GIVE READY
  MARK 47
  OK
  MARK 48
  GIVE OTHER
  MARK 49
  OK
  MARK 50
  TAKE OTHER
  MARK 51
  OK
  j figure_give
.globl figure_take
figure_take: # more urgent
  MARK 46
  TAKE READY
  MARK 43
  OK
  j figure_take

.globl figure_owner
figure_owner: # less urgent
  MARK 30
  TAKE BUS
  MARK 31
  OK
  MARK 32
  GIVE BUS
  MARK 33
  OK
  TAKE BUS
  OK
  GIVE READY # the other wants BUS
  MARK 45
  OK
  MARK 46
  GIVE BUS
  MARK 49
  OK
  MARK 34
  SIGNAL CHANGE
  MARK 51
  OK
  MARK 36
  SIGNAL CHANGE
  MARK 37
  OK
  j figure_owner
.globl figure_waiter
figure_waiter: # more urgent
  TAKE READY
  OK
  MARK 44
  TAKE BUS
  MARK 47
  OK
  MARK 48
  WAIT CHANGE, BUS
  MARK 35
  OK
  GIVE BUS
  OK
  j figure_waiter

.globl figure_chain_low
figure_chain_low:
  TAKE BUS
  OK
  GIVE OTHER # mid: has BUS2, wants BUS
  OK
  GIVE READY # high: wants BUS2
  MARK 61
  OK
  GIVE BUS
  OK
  j figure_chain_low
.globl figure_chain_mid
figure_chain_mid:
  TAKE OTHER
  OK
  TAKE BUS2
  OK
  TAKE BUS
  OK
  GIVE BUS2
  OK
  GIVE BUS
  OK
  j figure_chain_mid
.globl figure_chain_high
figure_chain_high:
  TAKE READY
  OK
  MARK 60
  TAKE BUS2
  OK
  GIVE BUS2
  OK
  j figure_chain_high

# figure_giving(): gives to one that waits, and then asks for what this one has.
.globl figure_giving
figure_giving:
  TAKE BUS
  OK
  MARK 62
  GIVE READY
  OK
  GIVE BUS
  OK
  j figure_giving
# figure_given(told): the other, which tells what it will ask for, or does not. Its control
# page ends at tp.
.globl figure_given
figure_given:
  mv s1, a0
1:
  beqz s1, 2f
  li t0, 1
  sw t0, -64+{NEXT_SERIAL}(tp)
  not t0, zero
  xori t0, t0, BUS
  sw t0, -64+{NEXT_LOCK}(tp)
2:
  TAKE READY
  OK
  lw t0, -64+{NEXT_LOCK}(tp)
  addi t0, t0, -{TAKEN}
  beqz t0, 3f
  TAKE BUS
  OK
3:
  MARK 63
  sw zero, -64+{NEXT_LOCK}(tp)
  GIVE BUS
  OK
  j 1b

.globl figure_messages
figure_messages:
  MARK 52
  SEND BOX
  MARK 53
  OK
  MARK 54
  RECEIVE BOX
  MARK 55
  OK
  j figure_messages
.globl figure_sender
figure_sender: # less urgent
  MARK 70
  SEND BOX
  MARK 75
  OK
  j figure_sender
.globl figure_receiver
figure_receiver: # more urgent
  MARK 74
  RECEIVE BOX
  MARK 71
  OK
  j figure_receiver
.globl figure_client
figure_client:
  MARK 72
  SEND BOX
  OK
  RECEIVE BOX2
  MARK 73
  OK
  j figure_client
.globl figure_server
figure_server:
  RECEIVE BOX
  OK
  mv s2, a1
  mv s3, a2
  mv s4, a3
  mv s5, a4
  SEND BOX2
  OK
  j figure_server
.globl figure_caller
figure_caller:
  li s2, 31
1:
  MARK 80
  ON BOX
  WORDS
  CALL 41
  MARK 81
  OK
  li t0, 32
  bne a1, t0, broken
  j 1b
.globl figure_replier
figure_replier:
  RECEIVE BOX
  OK
1:
  srli t0, a5, 16
  mv t1, a6
  addi a5, a4, 0
  mv a4, a3
  mv a3, a2
  addi a2, a1, 1
  mv a0, t0
  mv a1, t1
  CALL 42
  OK
  j 1b

.globl figure_create
figure_create:
  MARK 38
  li a0, SPARE
  li a1, 0
  CALL 20
  MARK 39
  OK
  mv s1, a2
  MARK 40
  li a0, SPARE
  mv a1, s1
  CALL 21
  MARK 41
  OK
  j figure_create
