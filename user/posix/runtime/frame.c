/* Where a thread runs that was interrupted for a signal: it lies above what it did before,
 * whose registers the kernel has written to the stack at `a0`, which is `sp`, and goes back to
 * that. What functions do not keep of the floating-point registers, the frame does not have. */

#if __riscv_xlen == 64
#define LOAD "ld"
#define STORE "sd"
#else
#define LOAD "lw"
#define STORE "sw"
#endif

#define TEXT(what) #what
#define NUMBER(what) TEXT(what)

#ifdef __riscv_flen
#if __riscv_flen == 64
#define LOAD_FLOATING "fld"
#define STORE_FLOATING "fsd"
#else
#define LOAD_FLOATING "flw"
#define STORE_FLOATING "fsw"
#endif
#define FLOATING(operation)                                   \
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11\n" operation           \
    " ft\\n, (16 + 8 * \\n)(sp)\n.endr\n"                     \
    ".irp n, 0,1,2,3,4,5,6,7\n" operation                     \
    " fa\\n, (112 + 8 * \\n)(sp)\n.endr\n"
#define SAVE_FLOATING "frcsr t0\nsw t0, 8(sp)\n" FLOATING(STORE_FLOATING)
#define RESTORE_FLOATING FLOATING(LOAD_FLOATING) "lw t0, 8(sp)\nfscsr t0\n"
#define ROOM "176"
#else
#define SAVE_FLOATING
#define RESTORE_FLOATING
#define ROOM "16"
#endif

/* (where the registers of the function below it are, a0 to a7, t0 to t6, pc, sp and ra in this
 * order, from `sp` on, and that it goes on at an instruction that may be its first) */
#define WORD_OF(number) NUMBER(number) " * " NUMBER(__riscv_xlen) " / 8"
#define SAVED(number, column) ".cfi_offset " NUMBER(column) ", " WORD_OF(number) "\n"
__asm__(".pushsection .text.giornata_posix_interrupted, \"ax\"\n"
        ".globl giornata_posix_interrupted\n"
        ".type giornata_posix_interrupted, @function\n"
        "giornata_posix_interrupted:\n"
        ".cfi_sections .debug_frame\n"
        ".cfi_startproc\n"
        ".cfi_signal_frame\n"
        ".cfi_return_column 64\n"
        SAVED(0, a0) SAVED(1, a1) SAVED(2, a2) SAVED(3, a3) SAVED(4, a4) SAVED(5, a5)
        SAVED(6, a6) SAVED(7, a7) SAVED(8, t0) SAVED(9, t1) SAVED(10, t2) SAVED(11, t3)
        SAVED(12, t4) SAVED(13, t5) SAVED(14, t6) SAVED(15, 64) SAVED(16, sp) SAVED(17, ra)
        "addi sp, sp, -" ROOM "\n"
        ".cfi_adjust_cfa_offset " ROOM "\n"
        STORE " a0, 0(sp)\n"
        SAVE_FLOATING
        "call giornata_posix_deliver\n"
        RESTORE_FLOATING
        LOAD " a1, 0(sp)\n"
        "li a0, " NUMBER(GIORNATA_GO_BACK) "\n"
        "li a7, " NUMBER(GIORNATA_POSIX_CALL) "\n"
        "ecall\n"
        "unimp\n"
        ".cfi_endproc\n"
        ".size giornata_posix_interrupted, . - giornata_posix_interrupted\n"
        ".popsection\n");

/* A call by which a thread waits: a0 to a5 are its arguments, a7 its number. It is refused if
 * the byte at a6 is not 0. Whoever is interrupted before it is made is told so, too: the frame
 * then goes back to giornata_posix_refused. */
__asm__(".pushsection .text.giornata_posix_enter, \"ax\"\n"
        ".globl giornata_posix_enter, giornata_posix_begin, giornata_posix_call, giornata_posix_refused\n"
        ".type giornata_posix_enter, @function\n"
        "giornata_posix_enter:\n"
        ".cfi_startproc\n"
        "addi sp, sp, -16\n"
        ".cfi_adjust_cfa_offset 16\n"
        STORE " ra, 0(sp)\n"
        ".cfi_offset ra, -16\n"
        "giornata_posix_begin:\n"
        "lbu t0, 0(a6)\n"
        "bnez t0, giornata_posix_refused\n"
        "giornata_posix_call:\n"
        "ecall\n"
        "1:\n"
        LOAD " ra, 0(sp)\n"
        ".cfi_remember_state\n"
        ".cfi_restore ra\n"
        "addi sp, sp, 16\n"
        ".cfi_adjust_cfa_offset -16\n"
        "ret\n"
        ".cfi_restore_state\n"
        "giornata_posix_refused:\n"
        "li a0, " NUMBER(GIORNATA_INTERRUPTED) "\n"
        "j 1b\n"
        ".cfi_endproc\n"
        ".size giornata_posix_enter, . - giornata_posix_enter\n"
        ".popsection\n");

/* The caller's floating-point environment, rounding mode and flags, and another for it. Whoever
 * gets the usual one does not become a thread that uses floating-point registers by that. */
unsigned giornata_posix_environment(void);
void giornata_posix_set_environment(unsigned environment);

unsigned giornata_posix_environment(void)
{
    unsigned environment = 0;
#ifdef __riscv_flen
    __asm__ volatile("frcsr %0" : "=r"(environment));
#endif
    return environment;
}

void giornata_posix_set_environment(unsigned environment)
{
#ifdef __riscv_flen
    if (environment != 0)
        __asm__ volatile("fscsr %0" : : "r"(environment));
#else
    (void)environment;
#endif
}
