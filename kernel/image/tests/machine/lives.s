# Threads and processes that come and go.

.equ EXIT, 11
.equ PANIC, 2
.equ CREATE_THREAD, 32
.equ JOIN_THREAD, 33
.equ DETACH_THREAD, 34
.equ CREATE_PROCESS, 35
.equ KILL_PROCESS, 36
.equ ATTACH_REGION, 39
.equ DETACH_REGION, 40

# Where created threads begin: a0 = argument, a1 = body.
.globl created
created:
  jr a1

# Ends with its argument.
exits:
  CALL EXIT
  j broken

# figure_threads(): creates one that is less urgent, detaches it; creates one that is more
# urgent, so it has ended, joins it; the same, detaches it.
.globl figure_threads
figure_threads:
  la a0, exits
  li a1, 77
  li a2, 100
  MARK 1
  CALL CREATE_THREAD
  MARK 2
  bnez a0, broken
  mv a0, a1
  mv a1, a2
  MARK 3
  CALL DETACH_THREAD
  MARK 4
  bnez a0, broken
  # it ends
  CALL CLOCK
  addi a0, a1, 1000
  mv a1, a2
  CALL SLEEP
  la a0, exits
  li a1, 77
  li a2, 120
  CALL CREATE_THREAD
  bnez a0, broken
  mv a0, a1
  mv a1, a2
  li a2, 0
  li a3, 0
  MARK 5
  CALL JOIN_THREAD
  MARK 6
  bnez a0, broken
  addi a1, a1, -77
  bnez a1, broken
  la a0, exits
  li a1, 77
  li a2, 120
  CALL CREATE_THREAD
  mv a0, a1
  mv a1, a2
  MARK 7
  CALL DETACH_THREAD
  MARK 8
  bnez a0, broken
  j figure_threads

# attaches(): attaches the shared region for good.
.globl attaches
attaches:
  li a0, 0
  li a1, 0
  CALL ATTACH_REGION
  bnez a0, broken
1:
  li a0, -1
  li a1, 0x7fffffff
  CALL SLEEP
  j 1b

# figure_region(): attaches and detaches the shared region, and writes to it.
.globl figure_region
figure_region:
  li a0, 0
  li a1, 0
  MARK 1
  CALL ATTACH_REGION
  MARK 2
  bnez a0, broken
  sw a2, 0(a1)
  lw t0, 0(a1)
  bne t0, a2, broken
  li a0, 0
  MARK 3
  CALL DETACH_REGION
  MARK 4
  bnez a0, broken
  j figure_region

# figure_process(process): starts a process that is less urgent, lets it run, and ends it.
.globl figure_process
figure_process:
  mv s0, a0
1:
  mv a0, s0
  MARK 1
  CALL CREATE_PROCESS
  MARK 2
  bnez a0, broken
  CALL CLOCK
  addi a0, a1, 1000
  mv a1, a2
  CALL SLEEP
  mv a0, s0
  MARK 5
  CALL KILL_PROCESS
  MARK 6
  bnez a0, broken
  j 1b

# crashes(ticks): sleeps and faults.
.globl crashes
crashes:
  mv s0, a1
  CALL CLOCK
  add a0, a1, s0
  mv a1, a2
  CALL SLEEP
  unimp

# panics(): with what its data begins with.
.globl panics
panics:
  mv a0, gp
  li a1, 40
  li a2, 7
  CALL PANIC
  j broken

# escapes(address): attaches the shared region, detaches it, and writes to it.
.globl escapes
escapes:
  mv s0, a0
  li a0, 0
  li a1, 0
  CALL ATTACH_REGION
  bnez a0, broken
  sw a0, 0(a1)
  beqz s0, 1f
  li a0, 0
  mv s1, a1
  CALL DETACH_REGION
  sw a0, 0(s1)
1:
  j 1b
