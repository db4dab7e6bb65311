/* What must hold: else the run ends with the number of the line. */
#ifndef EXPECT_H
#define EXPECT_H

#include "machine.h"

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            leave(__LINE__);                                                                       \
    } while (0)

/* What has happened, a letter each. */
static char said[64];
static uint32_t said_count;

static inline void say(char letter)
{
    EXPECT(said_count < sizeof said);
    said[said_count++] = letter;
}

/* Whether just this has happened since the last time. */
static inline bool has_said(const char *text)
{
    bool is_same = true;
    uint32_t i = 0;
    for (; text[i] != 0; i++)
        is_same = is_same && i < said_count && said[i] == text[i];
    is_same = is_same && i == said_count;
    said_count = 0;
    return is_same;
}

#endif
