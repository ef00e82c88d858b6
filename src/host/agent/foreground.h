#ifndef TEND_HOST_AGENT_FOREGROUND_H
#define TEND_HOST_AGENT_FOREGROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The processes in front of a terminal: those of its foreground process group
 * that are the session's program or descend from it.
 */
#define FOREGROUND_MAX 64         /* processes; later ones are left out */
#define FOREGROUND_WORDS_MAX 4096 /* bytes of a command line; the rest is cut */

/* The foreground process group; 0: there is none. */
pid_t foreground_group(int master);

/*
 * Call fn for the command line of each, the session's program first: words that
 * a NUL ends.  fn returns true to stop; so does this.
 */
typedef bool foreground_fn(void *arg, const char *words, size_t len);
bool foreground_each(pid_t group, pid_t program, foreground_fn *fn, void *arg);

#endif
