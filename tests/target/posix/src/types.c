/* What the language has besides its functions: long double, memory for any type, atomic objects
 * of all sizes, threads of C11. */

#include "check.h"

#include <answer.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static void options(void)
{
    int unused = 0;
    CHECK(ANSWER == 42);
    CHECK(strcmp(GREETING, "hello, types") == 0);
    CHECK(IS_DEFINED == 1);
    CHECK(__STDC_VERSION__ == 201112L);
    tell("options");
}

/* C11 7.22.3: it suits any object with a fundamental alignment. */
static void memory(void)
{
    void *all[80];
    bool is_aligned = true;
    for (size_t size = 0; size < 80; size++) {
        all[size] = size % 3 == 0 ? calloc(1, size) : malloc(size);
        is_aligned &= all[size] != NULL && (uintptr_t)all[size] % _Alignof(max_align_t) == 0;
    }
    for (size_t size = 0; size < 80; size += 2) {
        all[size] = realloc(all[size], 2 * size + 1);
        is_aligned &= all[size] != NULL && (uintptr_t)all[size] % _Alignof(max_align_t) == 0;
    }
    CHECK(is_aligned);
    for (size_t size = 0; size < 80; size++)
        free(all[size]);
    struct mallinfo info = mallinfo();
    CHECK(info.uordblks == 0 && info.arena > 0);
    void *most = malloc(info.arena - 64);
    CHECK(most != NULL);
    free(most);
    void *page = aligned_alloc(1024, 100), *other = NULL;
    CHECK(page != NULL && (uintptr_t)page % 1024 == 0 && malloc_usable_size(page) >= 100);
    CHECK(posix_memalign(&other, 256, 10) == 0 && (uintptr_t)other % 256 == 0);
    CHECK(posix_memalign(&other, 3, 10) == EINVAL);
    free(page);
    free(other);
    errno = 0;
    CHECK(malloc(1 << 20) == NULL && errno == ENOMEM);
    errno = 0;
    volatile size_t all_there_is = SIZE_MAX;
    CHECK(malloc(all_there_is) == NULL && calloc(all_there_is / 2, 3) == NULL && errno == ENOMEM);
    tell("memory");
}

static char text[6000];

static bool prints(const char *expected, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (strcmp(text, expected) == 0 && count == (int)strlen(expected))
        return true;
    printf("%s instead of %s\n", text, expected);
    return false;
}

static void formats(void)
{
    int at = -1;
    signed char narrow = -1;
    long long wide = -1;
    CHECK(prints("2.50 3.25 7", "%.2Lf %.2f %d", 2.5L, 3.25, 7));
    CHECK(prints("1.189731495357231765085759326628007016e+4932", "%.36Le", LDBL_MAX));
    CHECK(prints("0.1000000000000000000000000000000000048", "%.37Lf", 0.1L));
    CHECK(prints("0x1.8p+1 1e+10 100000", "%La %Lg %Lg", 3.0L, 1e10L, 1e5L));
    CHECK(prints("  -1.5|0001.500|+inf", "%6.1Lf|%08.3Lf|%+Lf", -1.5L, 1.5L, (long double)(1 / 0.0)));
    CHECK(prints("12345 x", "%d%n %c%hhn%lln", 12345, &at, 'x', &narrow, &wide));
    CHECK(at == 5 && narrow == 7 && wide == 7);
    CHECK(snprintf(text, sizeof text, "%.10Lf", LDBL_MAX) == 4933 + 11);
    long double one = 0, other = 0;
    int number = 0, count = 0;
    CHECK(sscanf("1.5 7 -2.5e3x", "%Lf %d%n %Lgx", &one, &number, &count, &other) == 3);
    CHECK(one == 1.5L && number == 7 && count == 5 && other == -2500);
    CHECK(sscanf("", "%Lf", &one) == EOF && sscanf("x", "%Lf", &one) == 0);
    CHECK(strtold("1.5", NULL) == 1.5L);
    tell("formats");
}

/* Atomic objects, which a thread of a higher priority changes between any two instructions. */
static _Atomic uint8_t bytes[4];
static _Atomic bool switch_;
static _Atomic uint16_t halves[2];
static _Atomic uint32_t word;
static _Atomic uint64_t wide, pair;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static _Atomic bool is_done;
static uint32_t torn, entered, old_style, interruptions;

static void change(unsigned by)
{
    for (int i = 0; i < 4; i++)
        bytes[i] += (uint8_t)(by + i);
    switch_ ^= true;
    halves[0] += (uint16_t)by;
    halves[1] -= (uint16_t)by;
    word += by;
    wide += (uint64_t)by << 30;
    __sync_fetch_and_add(&old_style, by);
    /* two halves that are equal, always */
    uint64_t both = atomic_load(&pair);
    uint64_t next;
    do {
        if ((uint32_t)both != both >> 32)
            torn++;
        next = (both + by) & 0xFFFFFFFF;
        next |= next << 32;
    } while (!atomic_compare_exchange_weak(&pair, &both, next));
    if (!atomic_flag_test_and_set(&lock)) {
        if (++entered != 1)
            torn++;
        entered--;
        atomic_flag_clear(&lock);
    }
}

static void *interrupt(void *unused)
{
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    while (!is_done) {
        /* not in step with anything */
        next.tv_nsec += 20000 + 997 * (interruptions % 7);
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        change(1);
        interruptions++;
    }
    return unused;
}

#define ROUNDS 20000

static void atomics(void)
{
    pthread_t high;
    pthread_attr_t attributes;
    struct sched_param parameters = { .sched_priority = 30 };
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedparam(&attributes, &parameters);
    CHECK(pthread_create(&high, &attributes, interrupt, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++)
        change(3);
    is_done = true;
    CHECK(pthread_join(high, NULL) == 0);
    uint32_t all = 3 * ROUNDS + interruptions, times = ROUNDS + interruptions;
    CHECK(interruptions > 20);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(bytes[i] == (uint8_t)(all + i * times));
    CHECK(switch_ == times % 2);
    CHECK(halves[0] == (uint16_t)all && halves[1] == (uint16_t)-all);
    CHECK(word == all && old_style == all);
    CHECK(wide == (uint64_t)all << 30);
    CHECK((uint32_t)pair == all && torn == 0);

    uint8_t was = 9;
    bytes[0] = 5;
    CHECK(!atomic_compare_exchange_strong(&bytes[0], &was, 1) && was == 5);
    CHECK(atomic_compare_exchange_strong(&bytes[0], &was, 1) && bytes[0] == 1);
    CHECK(atomic_exchange(&wide, 1ull << 40) == (uint64_t)all << 30 && wide == 1ull << 40);
    CHECK(atomic_fetch_or(&halves[1], 1) == (uint16_t)-all && (halves[1] & 1) == 1);
    CHECK(atomic_is_lock_free(&bytes[0]) && atomic_is_lock_free(&wide));
    tell("atomics");
}

static mtx_t mutex;
static cnd_t condition;
static tss_t key;
static once_flag once = ONCE_FLAG_INIT;
static int turns, onces, destroyed;
static _Thread_local int own;

static void first(void)
{
    onces++;
}

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static int count_turns(void *number)
{
    static int one = 1;
    call_once(&once, first);
    tss_set(key, &one);
    for (own = 0; own < 3; own++) {
        mtx_lock(&mutex);
        while (turns % 2 != *(int *)number)
            cnd_wait(&condition, &mutex);
        turns++;
        cnd_broadcast(&condition);
        mtx_unlock(&mutex);
    }
    return own + *(int *)number;
}

static int leave(void *unused)
{
    (void)unused;
    thrd_exit(-5);
}

static void c11_threads(void)
{
    static int numbers[2] = { 0, 1 };
    thrd_t threads[2];
    int value = 0;
    struct timespec time;
    CHECK(mtx_init(&mutex, mtx_plain | mtx_recursive) == thrd_success);
    CHECK(cnd_init(&condition) == thrd_success && tss_create(&key, destroy) == thrd_success);
    for (int i = 0; i < 2; i++)
        CHECK(thrd_create(&threads[i], count_turns, &numbers[i]) == thrd_success);
    for (int i = 0; i < 2; i++) {
        CHECK(thrd_join(threads[i], &value) == thrd_success);
        CHECK(value == 3 + i);
    }
    CHECK(turns == 6 && onces == 1 && destroyed == 2);
    CHECK(thrd_create(&threads[0], leave, NULL) == thrd_success);
    CHECK(thrd_join(threads[0], &value) == thrd_success && value == -5);
    CHECK(thrd_equal(thrd_current(), pthread_self()));
    CHECK(timespec_get(&time, TIME_UTC) == TIME_UTC && timespec_get(&time, 77) == 0);
    CHECK(mtx_lock(&mutex) == thrd_success && mtx_trylock(&mutex) == thrd_success);
    time.tv_nsec = 0;
    CHECK(cnd_timedwait(&condition, &mutex, &time) == thrd_timedout);
    CHECK(mtx_unlock(&mutex) == thrd_success && mtx_unlock(&mutex) == thrd_success);
    CHECK(mtx_unlock(&mutex) == thrd_error && mtx_init(&mutex, 64) == thrd_error);
    CHECK(thrd_sleep(&(struct timespec){ .tv_nsec = 1000 }, NULL) == 0);
    thrd_yield();
    mtx_destroy(&mutex);
    cnd_destroy(&condition);
    tss_delete(key);
    tell("threads");
}

/* A record has 160 bytes of a line: where there is more, a mark says so. */
static void lines(void)
{
    for (int i = 0; i < 20; i++)
        printf("%09d,", i);
    printf("end of the one line\n");
    for (int i = 0; i < 160; i++)
        putchar('-');
    putchar('\n');
}

int main(void)
{
    lines();
    options();
    memory();
    formats();
    atomics();
    c11_threads();
    return 0;
}
