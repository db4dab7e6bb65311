/* assert(), as C has it: if the expression is 0, the process ends with expression, file
 * and line, see gio_panic() of <giornata.h>. NDEBUG, defined before this is included,
 * takes it out. */
#undef assert

#ifdef NDEBUG
#define assert(expression) ((void)0)
#else
#define assert(expression) \
    ((expression) ? (void)0 : gio_fail("assertion failed: " #expression, __FILE__, __LINE__))
#endif

#ifndef GIORNATA_ASSERT_H
#define GIORNATA_ASSERT_H

#ifdef __cplusplus
extern "C" [[noreturn]] void gio_fail(const char *text, const char *file, int line);
#else
_Noreturn void gio_fail(const char *text, const char *file, int line);
#endif

#if defined __STDC_VERSION__ && __STDC_VERSION__ < 202311L
#undef static_assert
#define static_assert _Static_assert
#endif

#endif
