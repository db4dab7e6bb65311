/* Marks as of this crate, for programs in C. */
#ifndef MARK_H
#define MARK_H

#define MARK(number) __asm__ volatile("slti x0, x0, %0" ::"i"(number) : "memory")

#endif
