#ifndef TEND_KEEPER_TERMINAL_H
#define TEND_KEEPER_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

#include "keep/control.h"
#include "keep/ring.h"

/*
 * The pseudo-terminal and the ring for its output.  Nothing here examines a
 * byte.  While the ring is full, the terminal is not read, and the program
 * blocks in its write until the host has made room.
 *
 * The slave side is held open as long as the program lives: otherwise a
 * program that closes its terminal, to open it again later, would seem to have
 * ended.
 */
struct terminal {
	struct ring ring;
	int ring_fd;
	int output;           /* eventfd: output for the host */
	int room;             /* eventfd: the host has made room */
	int master;           /* non-blocking; -1 once it is closed */
	int slave;            /* -1 after it was released */
	bool over;            /* the slave side is closed: no more output */
	bool full;            /* the ring has no room */
	bool wake;            /* the host sleeps and must be woken */
	struct termios fresh; /* the initial settings */
	int64_t read_ms;      /* time of the last output */
	uint64_t settled;     /* bytes read by terminal_settle */
	uint64_t given_back;  /* end offset of the freed ring memory */
	int64_t used_ms;      /* time of large use since then; 0: not yet */
};

/* 0, or -errno with the failed step in *stage. */
int terminal_open(struct terminal *t, unsigned cols, unsigned rows,
    enum launch_stage *stage);
void terminal_close(struct terminal *t);

/*
 * The descriptor to wait for, or -1 if the ring is full or output has ended.
 */
int terminal_wants(struct terminal *t);

/* Read available output, up to a limit, and wake the host if it sleeps. */
void terminal_read(struct terminal *t, int64_t now_ms);

/* The host has made room. */
void terminal_has_room(struct terminal *t);

/*
 * The program has ended: output ends when all others have closed the terminal.
 */
void terminal_let_go(struct terminal *t);

/* Open the slave side for another program; 0 or -errno. */
int terminal_renew(struct terminal *t);

/*
 * Open the slave side again after a hangup, as login programs cause it.
 * Reading does this by itself; if it fails for lack of a descriptor, try again
 * now and then.
 */
void terminal_take_back(struct terminal *t);

/*
 * Read everything that was available at the first call; true when done.  False
 * if the ring is full before: call again.  If output never ends, this reads no
 * more than a terminal can buffer.
 */
bool terminal_settle(struct terminal *t, int64_t now_ms);

/*
 * The time to free memory of the ring, or CLOCK_NEVER; terminal_give_back does
 * it.  The ring is large for floods, which are rare in most sessions.
 */
int64_t terminal_due_ms(const struct terminal *t);
void terminal_give_back(struct terminal *t);

/* The offset of the next byte. */
uint64_t terminal_offset(const struct terminal *t);

#endif
