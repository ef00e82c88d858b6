#ifndef TEND_SESSION_ENVIRON_H
#define TEND_SESSION_ENVIRON_H

struct error;

/*
 * The environment a session was started with, in a file of its directory, so
 * that it can be started again: `environ`, KEY=VALUE each followed by a NUL, as
 * in /proc.  It may hold secrets.  So it is in no manifest and no log, nobody
 * but the owner can read it, and it goes with the directory.
 */
#define ENVIRON_MAX (8u << 20) /* more than the kernel lets a program have */

int environ_write(int dirfd, char *const *envp);

/* Freed by environ_destroy.  NULL and why: -ENOENT when it was not kept. */
char **environ_read(int dirfd, struct error *err);
void environ_destroy(char **envp); /* NULL is fine */

/* The value that a variable has in an environment, or NULL. */
const char *environ_value(char *const *envp, const char *name);

#endif
