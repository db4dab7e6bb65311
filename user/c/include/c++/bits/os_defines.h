/* What headers of the C++ library are told of the system: there is nothing to tell. */
#ifndef _GLIBCXX_OS_DEFINES
#define _GLIBCXX_OS_DEFINES 1
#endif
