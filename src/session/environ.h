#ifndef TEND_SESSION_ENVIRON_H
#define TEND_SESSION_ENVIRON_H

#include <stdint.h>

struct error;

/*
 * The environment a session was started with, in a file of its directory, so
 * that it can be started again: `environ`, KEY=VALUE each followed by a NUL, as
 * in /proc.  It may hold secrets.  So it is in no manifest and no log, nobody
 * but the owner can read it, and it goes with the directory.
 */
#define ENVIRON_MAX (8u << 20) /* more than the kernel lets a program have */

int environ_write(int dirfd, char *const *envp);

/* By which session.json knows the file; never 0. */
uint32_t environ_crc(char *const *envp);

/*
 * Freed by environ_destroy.  NULL and why: ENOENT when it was not kept, EBADMSG
 * when it is not the one with this checksum (0: any will do).
 */
char **environ_read(int dirfd, uint32_t crc, struct error *err);
void environ_destroy(char **envp); /* NULL is fine */

/* The value that a variable has in an environment, or NULL. */
const char *environ_value(char *const *envp, const char *name);

#endif
