/* Marks: each begins a span, which the next number ends. */
#ifndef MARKS_H
#define MARKS_H

#include "../../kernel/marks/mark.h"

/* The numbers of `marte` in bench/kernel/marks. */
enum {
    PAIR_NONE = 200,
    PAIR_PROTECT = 202,
    LOCK = 204,
    TIMED_LOCK = 206,
    CREATE = 208,
    YIELD = 210,
    YIELD_SPORADIC = 212,
    TO_SPORADIC = 214,
    FROM_SPORADIC = 216,
    NANOSLEEP = 218,
    SLEEP_RELATIVE = 220,
    SLEEP_MONOTONIC = 222,
    SLEEP_REALTIME = 224,
    WAKE = 226,
    CONTENDED = 228,
    TIMED_CONTENDED = 230,
    UNLOCK = 232,
    TIMED_UNLOCK = 234,
    EXPIRE = 236,
    POST = 238,
    SIGNAL = 240,
    SERVER_RUNS = 242,
    OTHER_RUNS = 244,
};

/* How often each thing is done: the first are not counted. */
#define ROUNDS 130

#endif
