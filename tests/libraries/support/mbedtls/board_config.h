/* The default configuration of Mbed TLS, without what needs files, sockets, a date or a random
 * source of the system, and with the mutexes of POSIX. */
#include "mbedtls/config.h"

#undef MBEDTLS_FS_IO
#undef MBEDTLS_HAVE_TIME_DATE
#undef MBEDTLS_NET_C
#undef MBEDTLS_TIMING_C
#undef MBEDTLS_PSA_ITS_FILE_C
#undef MBEDTLS_PSA_CRYPTO_STORAGE_C

#define MBEDTLS_NO_PLATFORM_ENTROPY
#define MBEDTLS_ENTROPY_HARDWARE_ALT
#define MBEDTLS_THREADING_C
#define MBEDTLS_THREADING_PTHREAD
