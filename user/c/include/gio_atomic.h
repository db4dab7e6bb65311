/* The builder includes it before every source for a core without atomic instructions, where
 * compilers would make two accesses of this one, as if there was one thread: atomic_flag of
 * C and C++. The call that this makes of it is one of user/c/runtime/atomic.c. */
#ifndef GIORNATA_ATOMIC_H
#define GIORNATA_ATOMIC_H

#define __atomic_test_and_set(object, order) \
    ((__atomic_exchange_n((unsigned char *)(object), 1, (order))) != 0)

#endif
