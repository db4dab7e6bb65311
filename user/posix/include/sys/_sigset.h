/* A set of signals: bit n is signal n. */
#ifndef _SYS__SIGSET_H_
#define _SYS__SIGSET_H_

typedef unsigned long long __sigset_t;

#endif
