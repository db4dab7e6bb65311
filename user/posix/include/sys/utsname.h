/* The name of the system. */
#ifndef GIORNATA_POSIX_SYS_UTSNAME_H
#define GIORNATA_POSIX_SYS_UTSNAME_H

#ifdef __cplusplus
extern "C" {
#endif

struct utsname {
    char sysname[16];  /* "giornata" */
    char nodename[16]; /* empty: it is on no network */
    char release[16];
    char version[16];
    char machine[16]; /* "riscv32", "riscv64" */
};

/* Returns 0. */
int uname(struct utsname *name);

#ifdef __cplusplus
}
#endif

#endif
