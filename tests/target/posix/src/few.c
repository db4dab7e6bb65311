/* Which programs `programs.c` makes and runs. */
extern const unsigned first_program, last_program;
const unsigned first_program = 1, last_program = 1000;
