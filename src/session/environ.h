#ifndef TEND_SESSION_ENVIRON_H
#define TEND_SESSION_ENVIRON_H

#include <stdint.h>

struct error;

/*
 * The environment that a session was started with, for `tend rerun`.  The file
 * `environ` in the session's directory has KEY=VALUE entries, each followed by
 * a NUL, as in /proc.  It may hold secrets.  So no manifest and no log has it,
 * only the owner can read it, and it is removed with the directory.
 */
#define ENVIRON_MAX (8u << 20) /* the kernel's limit is lower */

int environ_write(int dirfd, char *const *envp);

/* The checksum of the file in session.json; never 0. */
uint32_t environ_crc(char *const *envp);

/*
 * The caller frees the result with mem_free_list.  NULL and err on failure:
 * ENOENT if the environment was not kept, EBADMSG if the file has another
 * checksum (0: accept any).
 */
char **environ_read(int dirfd, uint32_t crc, struct error *err);

/* The value of a variable in an environment, or NULL. */
const char *environ_value(char *const *envp, const char *name);

#endif
