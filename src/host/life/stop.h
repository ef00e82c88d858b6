#ifndef TEND_HOST_LIFE_STOP_H
#define TEND_HOST_LIFE_STOP_H

#include <stdbool.h>
#include <stdint.h>

struct host;

/*
 * Ending a session's processes.  The program alone is not enough: an
 * interactive shell ignores SIGTERM, and its background jobs have process
 * groups of their own and survive it.  So everybody of the session is asked,
 * and after the grace everybody is killed, with the orphans that the keeper
 * has adopted.
 */
struct stop;

struct stop *stop_create(struct host *h);
void stop_destroy(struct stop *s); /* NULL is fine */

/*
 * Ask, and kill after grace_ms, which is then logged.  With `interrupt`, Ctrl-C
 * first.
 */
void stop_politely(struct stop *s, uint32_t grace_ms, bool interrupt,
    const char *by);
void stop_now(struct stop *s);

/* A signal to the program's process group; 0 or -errno. */
int stop_signal(struct stop *s, int signo);

/* Kill what the program has left behind; its exit is known. */
void stop_leftovers(struct stop *s);

/* The program has ended: kill what it has left behind, if we were stopping. */
void stop_ended(struct stop *s);

#endif
