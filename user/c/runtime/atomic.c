/* Atomic operations that no instruction makes: those on 8 and 16 bits, on 64 bits where a word
 * has 32, and all on cores without atomic instructions. Compilers of C and C++ call these
 * functions under these names.
 *
 * One hart runs the process. Restartable sequences (`giornata_rt`) make a word change at once
 * or not at all: a thread that loses the processor in a block of 32 bytes begins it anew. That
 * holds among threads, signal handlers, and processes that share memory, and whatever an
 * instruction does to the same word. No function waits; one that another thread interferes
 * with does its work again. All orders are the strongest: one hart sees its own accesses in
 * their order, so compilers have to keep it and nothing else.
 *
 * 64 bits on 32-bit cores are two words, which no store changes at once. A change is written
 * down first (`journal`), which its number then makes valid, in one store; it is then carried
 * out, by its thread or by the next that touches any such object. Being carried out again
 * changes nothing. So what is said above holds for them among the threads of a process, but
 * not for memory that processes share. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME(text) __asm__(text)

/* `bne` and `sw` are the whole sequence: a0 = word, a1 = expected, a2 = new; t0 = found. */
static inline uint32_t swap(volatile uint32_t *word, uint32_t expected, uint32_t new)
{
    register volatile uint32_t *a0 NAME("a0") = word;
    /* as `lw` loads it where words are wider */
    register long a1 NAME("a1") = (int32_t)expected;
    register uint32_t a2 NAME("a2") = new;
    register long t0 NAME("t0");
    __asm__ volatile("jal t1, giornata_restartable_swap"
                     : "=r"(t0)
                     : "r"(a0), "r"(a1), "r"(a2)
                     : "t1", "memory");
    return (uint32_t)t0;
}

/* The word that has an object of 1, 2 or 4 bytes, and where it begins there. */
static inline volatile uint32_t *word_of(volatile void *object)
{
    return (volatile uint32_t *)((uintptr_t)object & ~(uintptr_t)3);
}

static inline unsigned shift_of(volatile void *object)
{
    return 8 * ((uintptr_t)object & 3);
}

/* Stores `new` if the object is `expected`, and returns what was found. */
static inline uint32_t exchange_if(volatile void *object, uint32_t mask, uint32_t expected,
                                   uint32_t new)
{
    volatile uint32_t *word = word_of(object);
    unsigned shift = shift_of(object);
    for (;;) {
        uint32_t before = *word, found = before >> shift & mask;
        if (found != expected)
            return found;
        uint32_t after = (before & ~(mask << shift)) | new << shift;
        if (swap(word, before, after) == before)
            return found;
    }
}

#if __riscv_xlen == 32

/* The change that was written down last. The number is odd while it is not carried out. */
struct journal {
    uint32_t number;
    volatile void *object;
    uint32_t low, high;
};

__attribute__((used)) struct journal giornata_atomic_journal NAME("giornata_atomic_journal");

/* a0 = the object, a3 = journal: a1, a2 = the object, t2 = the number, t3 = whether it is odd:
 * then the values are not to be used.
 *
 * a0 = the object, a1, a2 = its new value, a3 = journal, t2 = the number as it was loaded: t3 =
 * 1 if the change is written down, else 0.
 *
 * a3 = journal: carries a change out, if there is one. t2 to t6 are changed.
 *
 * All return to t1. */
__asm__(".pushsection .text.giornata_restartable.wide, \"ax\", @progbits\n"
        ".option push\n"
        ".option norvc\n"
        ".option norelax\n"
        ".cfi_sections .debug_frame\n"
        ".balign 32\n"
        ".globl giornata_atomic_load, giornata_atomic_note, giornata_atomic_apply\n"
        ".type giornata_atomic_load, @function\n"
        "giornata_atomic_load:\n"
        ".cfi_startproc\n"
        ".cfi_register ra, t1\n"
        "lw t2, 0(a3)\n"
        "andi t3, t2, 1\n"
        "lw a1, 0(a0)\n"
        "lw a2, 4(a0)\n"
        "jr t1\n"
        ".cfi_endproc\n"
        ".size giornata_atomic_load, . - giornata_atomic_load\n"
        ".balign 32\n"
        ".type giornata_atomic_note, @function\n"
        "giornata_atomic_note:\n"
        ".cfi_startproc\n"
        ".cfi_register ra, t1\n"
        "addi t4, t2, 1\n"
        "li t3, 0\n"
        "lw t5, 0(a3)\n"
        "bne t5, t2, 1f\n"
        "sw a0, 4(a3)\n"
        "sw a1, 8(a3)\n"
        "sw a2, 12(a3)\n"
        "sw t4, 0(a3)\n"
        "li t3, 1\n"
        "jr t1\n"
        ".balign 32\n"
        "1:\n"
        "jr t1\n"
        ".cfi_endproc\n"
        ".size giornata_atomic_note, . - giornata_atomic_note\n"
        ".balign 32\n"
        ".type giornata_atomic_apply, @function\n"
        "giornata_atomic_apply:\n"
        ".cfi_startproc\n"
        ".cfi_register ra, t1\n"
        "nop\n"
        "lw t2, 0(a3)\n"
        "andi t3, t2, 1\n"
        "beqz t3, 1f\n"
        "lw t4, 4(a3)\n"
        "lw t5, 8(a3)\n"
        "lw t6, 12(a3)\n"
        "addi t3, t2, 1\n"
        ".balign 32\n"
        /* (as long as the number is the same, what was loaded is what is written down) */
        "lw t0, 0(a3)\n"
        "nop\n"
        "nop\n"
        "nop\n"
        "bne t0, t2, 1f\n"
        "sw t5, 0(t4)\n"
        "sw t6, 4(t4)\n"
        "sw t3, 0(a3)\n"
        ".balign 32\n"
        "1:\n"
        "jr t1\n"
        ".cfi_endproc\n"
        ".size giornata_atomic_apply, . - giornata_atomic_apply\n"
        ".option pop\n"
        ".popsection\n");

static inline void carry_out(void)
{
    register struct journal *a3 NAME("a3") = &giornata_atomic_journal;
    __asm__ volatile("jal t1, giornata_atomic_apply"
                     :
                     : "r"(a3)
                     : "t0", "t1", "t2", "t3", "t4", "t5", "t6", "memory");
}

/* The object, and the number of the last change, which is even. */
static inline uint64_t load_wide(volatile void *object, uint32_t *number)
{
    for (;;) {
        register volatile void *a0 NAME("a0") = object;
        register struct journal *a3 NAME("a3") = &giornata_atomic_journal;
        register uint32_t a1 NAME("a1");
        register uint32_t a2 NAME("a2");
        register uint32_t t2 NAME("t2");
        register uint32_t t3 NAME("t3");
        __asm__ volatile("jal t1, giornata_atomic_load"
                         : "=r"(a1), "=r"(a2), "=r"(t2), "=r"(t3)
                         : "r"(a0), "r"(a3)
                         : "t1", "memory");
        uint64_t value = (uint64_t)a2 << 32 | a1;
        bool is_valid = t3 == 0;
        *number = t2;
        if (is_valid)
            return value;
        carry_out();
    }
}

/* Stores the object if nothing was stored since its number was loaded. */
static inline bool store_wide(volatile void *object, uint32_t number, uint64_t value)
{
    register volatile void *a0 NAME("a0") = object;
    register uint32_t a1 NAME("a1") = (uint32_t)value;
    register uint32_t a2 NAME("a2") = (uint32_t)(value >> 32);
    register struct journal *a3 NAME("a3") = &giornata_atomic_journal;
    register uint32_t t2 NAME("t2") = number;
    register uint32_t t3 NAME("t3");
    __asm__ volatile("jal t1, giornata_atomic_note"
                     : "=r"(t3)
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(t2)
                     : "t1", "t4", "t5", "memory");
    bool is_noted = t3 != 0;
    if (is_noted)
        carry_out();
    return is_noted;
}

/* As exchange_if(). */
static inline uint64_t exchange_wide_if(volatile void *object, uint64_t expected, uint64_t new)
{
    for (;;) {
        uint32_t number;
        uint64_t found = load_wide(object, &number);
        if (found != expected || store_wide(object, number, new))
            return found;
    }
}

#endif

/* What of the functions below is common to all sizes. */
#define LOAD_1(object) (*(volatile uint8_t *)(object))
#define LOAD_2(object) (*(volatile uint16_t *)(object))
#define LOAD_4(object) (*(volatile uint32_t *)(object))
#define SWAP_1(object, expected, new) exchange_if(object, 0xFF, expected, new)
#define SWAP_2(object, expected, new) exchange_if(object, 0xFFFF, expected, new)
#define SWAP_4(object, expected, new) swap(object, expected, new)
#define LOAD_8(object) ({ uint32_t number; load_wide(object, &number); })
#define SWAP_8(object, expected, new) exchange_wide_if(object, expected, new)

#define CHANGE(prefix, size, type, name, result, parameters, expression)                   \
    type giornata_##prefix##name##_##size parameters NAME("__" #prefix #name "_" #size);   \
    type giornata_##prefix##name##_##size parameters                                       \
    {                                                                                      \
        for (;;) {                                                                         \
            type before = LOAD_##size(object), after = (type)(expression);                 \
            if ((type)SWAP_##size(object, before, after) == before)                        \
                return result;                                                             \
        }                                                                                  \
    }

/* fetch_add and so on, which return the value before, and add_fetch, which return that after. */
#define OPERATION(size, type, operation, expression)                                       \
    CHANGE(atomic_, size, type, fetch_##operation, before,                                 \
           (volatile void *object, type value, int order), ((void)order, expression))      \
    CHANGE(atomic_, size, type, operation##_fetch, after,                                  \
           (volatile void *object, type value, int order), ((void)order, expression))      \
    CHANGE(sync_, size, type, fetch_and_##operation, before,                               \
           (volatile void *object, type value), expression)                                \
    CHANGE(sync_, size, type, operation##_and_fetch, after,                                \
           (volatile void *object, type value), expression)

#define OPERATIONS(size, type)                                                             \
    OPERATION(size, type, add, before + value)                                             \
    OPERATION(size, type, sub, before - value)                                             \
    OPERATION(size, type, and, before & value)                                             \
    OPERATION(size, type, or, before | value)                                              \
    OPERATION(size, type, xor, before ^ value)                                             \
    OPERATION(size, type, nand, ~(before & value))                                         \
    CHANGE(atomic_, size, type, exchange, before,                                          \
           (volatile void *object, type value, int order), ((void)order, value))           \
    CHANGE(sync_, size, type, lock_test_and_set, before,                                   \
           (volatile void *object, type value), value)                                     \
    bool giornata_compare_##size(volatile void *object, void *expected, type value,        \
                                 bool is_weak, int order, int otherwise)                   \
        NAME("__atomic_compare_exchange_" #size);                                          \
    bool giornata_compare_##size(volatile void *object, void *expected, type value,        \
                                 bool is_weak, int order, int otherwise)                   \
    {                                                                                      \
        type before = *(type *)expected, found = (type)SWAP_##size(object, before, value); \
        (void)is_weak, (void)order, (void)otherwise;                                       \
        *(type *)expected = found;                                                         \
        return found == before;                                                            \
    }                                                                                      \
    type giornata_swap_##size(volatile void *object, type expected, type value)            \
        NAME("__sync_val_compare_and_swap_" #size);                                        \
    type giornata_swap_##size(volatile void *object, type expected, type value)            \
    {                                                                                      \
        return (type)SWAP_##size(object, expected, value);                                 \
    }                                                                                      \
    bool giornata_swap_if_##size(volatile void *object, type expected, type value)         \
        NAME("__sync_bool_compare_and_swap_" #size);                                       \
    bool giornata_swap_if_##size(volatile void *object, type expected, type value)         \
    {                                                                                      \
        return (type)SWAP_##size(object, expected, value) == expected;                     \
    }                                                                                      \
    type giornata_load_##size(volatile void *object, int order)                            \
        NAME("__atomic_load_" #size);                                                      \
    type giornata_load_##size(volatile void *object, int order)                            \
    {                                                                                      \
        (void)order;                                                                       \
        return LOAD_##size(object);                                                        \
    }                                                                                      \
    void giornata_store_##size(volatile void *object, type value, int order)               \
        NAME("__atomic_store_" #size);                                                     \
    void giornata_store_##size(volatile void *object, type value, int order)               \
    {                                                                                      \
        (void)giornata_atomic_exchange_##size(object, value, order);                       \
    }

OPERATIONS(1, uint8_t)
OPERATIONS(2, uint16_t)
OPERATIONS(4, uint32_t)
#if __riscv_xlen == 32
OPERATIONS(8, uint64_t)
#endif

/* Whether all operations on an object of this size are one of the above or an instruction. */
bool giornata_is_lock_free(size_t size, const volatile void *object) NAME("__atomic_is_lock_free");
bool giornata_is_lock_free(size_t size, const volatile void *object)
{
    (void)object;
    return size == 1 || size == 2 || size == 4 || size == 8;
}
