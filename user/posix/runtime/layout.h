/* Structures that C and Rust both have: where their fields lie, in bytes, on 32 and on 64 bits.
 * C holds its own to it where this is included, and so does Rust, which reads the same lines
 * (src/twin.rs): whoever changes one alone is told at build. */

#define OFFSET(type, field, narrow, wide)                                       \
    _Static_assert(offsetof(type, field) == (__riscv_xlen == 64 ? wide : narrow), \
                   #type ", " #field ": see runtime/layout.h")
#define SIZE(type, narrow, wide)                                                \
    _Static_assert(sizeof(type) == (__riscv_xlen == 64 ? wide : narrow),        \
                   #type ": see runtime/layout.h")

OFFSET(struct timespec, tv_sec, 0, 0);
OFFSET(struct timespec, tv_nsec, 8, 8);
SIZE(struct timespec, 16, 16);

OFFSET(struct timeval, tv_sec, 0, 0);
OFFSET(struct timeval, tv_usec, 8, 8);
SIZE(struct timeval, 16, 16);

OFFSET(struct sched_param, sched_priority, 0, 0);
OFFSET(struct sched_param, sched_ss_low_priority, 4, 4);
OFFSET(struct sched_param, sched_ss_repl_period, 8, 8);
OFFSET(struct sched_param, sched_ss_init_budget, 24, 24);
OFFSET(struct sched_param, sched_ss_max_repl, 40, 40);
OFFSET(struct sched_param, sched_deadline, 48, 48);
SIZE(struct sched_param, 64, 64);

OFFSET(pthread_mutex_t, __word, 0, 0);
OFFSET(pthread_mutex_t, __bound, 4, 4);
OFFSET(pthread_mutex_t, __kind, 6, 6);
OFFSET(pthread_mutex_t, __state, 7, 7);
OFFSET(pthread_mutex_t, __more, 8, 8);
OFFSET(pthread_mutex_t, __ceiling, 12, 12);
OFFSET(pthread_mutex_t, __outer, 13, 13);
OFFSET(pthread_mutex_t, __before, 16, 16);
SIZE(pthread_mutex_t, 20, 24);

OFFSET(pthread_cond_t, __word, 0, 0);
OFFSET(pthread_cond_t, __bound, 4, 4);
OFFSET(pthread_cond_t, __clock, 6, 6);
OFFSET(pthread_cond_t, __state, 7, 7);
SIZE(pthread_cond_t, 8, 8);

OFFSET(sem_t, __word, 0, 0);
OFFSET(sem_t, __bound, 4, 4);
OFFSET(sem_t, __state, 6, 6);
SIZE(sem_t, 8, 8);

OFFSET(pthread_attr_t, __state, 0, 0);
OFFSET(pthread_attr_t, __detached, 4, 4);
OFFSET(pthread_attr_t, __inherits, 8, 8);
OFFSET(pthread_attr_t, __policy, 12, 12);
OFFSET(pthread_attr_t, __scope, 16, 16);
OFFSET(pthread_attr_t, __parameters, 24, 24);
OFFSET(pthread_attr_t, __stack, 88, 88);
OFFSET(pthread_attr_t, __stack_size, 92, 96);
OFFSET(pthread_attr_t, __guard_size, 96, 104);
SIZE(pthread_attr_t, 104, 112);

OFFSET(struct __pthread_cleanup, __routine, 0, 0);
OFFSET(struct __pthread_cleanup, __argument, 4, 8);
OFFSET(struct __pthread_cleanup, __outer, 8, 16);
SIZE(struct __pthread_cleanup, 12, 24);

OFFSET(siginfo_t, si_signo, 0, 0);
OFFSET(siginfo_t, si_code, 4, 4);
OFFSET(siginfo_t, si_value, 8, 8);
OFFSET(siginfo_t, si_errno, 12, 16);
OFFSET(siginfo_t, si_pid, 16, 20);
OFFSET(siginfo_t, si_uid, 20, 24);
OFFSET(siginfo_t, si_status, 24, 28);
OFFSET(siginfo_t, si_addr, 28, 32);
SIZE(siginfo_t, 32, 40);

OFFSET(struct sigaction, __function, 0, 0);
OFFSET(struct sigaction, sa_mask, 8, 8);
OFFSET(struct sigaction, sa_flags, 16, 16);
SIZE(struct sigaction, 24, 24);

OFFSET(struct sigevent, sigev_notify, 0, 0);
OFFSET(struct sigevent, sigev_signo, 4, 4);
OFFSET(struct sigevent, sigev_value, 8, 8);
OFFSET(struct sigevent, sigev_notify_function, 12, 16);
OFFSET(struct sigevent, sigev_notify_attributes, 16, 24);
SIZE(struct sigevent, 20, 32);

OFFSET(struct itimerspec, it_interval, 0, 0);
OFFSET(struct itimerspec, it_value, 16, 16);
SIZE(struct itimerspec, 32, 32);

#ifdef GIORNATA_PLACES_ARE_HERE
OFFSET(struct place, id, 0, 0);
OFFSET(struct place, start, 8, 8);
OFFSET(struct place, argument, 12, 16);
OFFSET(struct place, stack, 16, 24);
OFFSET(struct place, stack_size, 20, 32);
OFFSET(struct place, values, 24, 40);
OFFSET(struct place, value_count, 28, 48);
OFFSET(struct place, cleanup, 32, 56);
OFFSET(struct place, name, 36, 64);
OFFSET(struct place, policy, 52, 80);
OFFSET(struct place, parameters, 56, 88);
OFFSET(struct place, mutexes, 120, 152);
OFFSET(struct place, mask, 128, 160);
OFFSET(struct place, wanted, 136, 168);
OFFSET(struct place, due, 144, 176);
OFFSET(struct place, has_begun, 145, 177);
OFFSET(struct place, run, 146, 178);
OFFSET(struct place, is_cancelled, 147, 179);
OFFSET(struct place, is_kept, 148, 180);
OFFSET(struct place, is_asynchronous, 149, 181);
OFFSET(struct place, by_realtime, 150, 182);
OFFSET(struct place, is_late, 151, 183);
OFFSET(struct place, timer, 152, 184);
OFFSET(struct place, is_refused, 160, 192);
OFFSET(struct place, is_suspended, 161, 193);
OFFSET(struct place, wakes, 164, 196);
OFFSET(struct place, environment, 172, 204);
OFFSET(struct place, is_main, 176, 208);
OFFSET(struct place, is_detached, 177, 209);
OFFSET(struct place, has_ended, 178, 210);
OFFSET(struct place, value, 180, 216);
OFFSET(struct place, joiner, 184, 224);
SIZE(struct place, 192, 232);
#endif

#ifdef GIORNATA_BINDINGS_ARE_HERE
OFFSET(struct binding, user, 0, 0);
OFFSET(struct binding, waiting, 4, 8);
OFFSET(struct binding, woken, 8, 12);
SIZE(struct binding, 12, 16);
#endif
