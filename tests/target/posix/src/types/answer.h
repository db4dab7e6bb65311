/* Found by `c-include`. */
#define ANSWER 42
