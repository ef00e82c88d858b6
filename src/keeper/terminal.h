#ifndef TEND_KEEPER_TERMINAL_H
#define TEND_KEEPER_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

#include "keep/control.h"
#include "keep/ring.h"

/*
 * The pseudo-terminal and the ring that its output is read into.  Nothing here
 * looks at a byte.  When the ring is full the terminal is not read, and the
 * program waits in its write, until the host has made room.
 *
 * The program's side is held open as long as the program lives: otherwise a
 * program that closed its terminal, to open it again later, would look as if
 * it had ended.
 */
struct terminal {
	struct ring ring;
	int ring_fd;
	int output; /* eventfd: tells the host of output */
	int room;   /* eventfd: the host tells of room */
	int master; /* non-blocking; -1 once it is closed */
	int slave;  /* -1 once it was let go */
	bool over;  /* nobody has the program's side open: no more output */
	bool full;  /* the ring has no room */
	bool wake;  /* the host sleeps and is still to be woken */
	struct termios fresh; /* as it was before anybody had it */
	int64_t read_ms;      /* when there was output last */
	uint64_t settled;     /* bytes read by terminal_settle */
	uint64_t given_back;  /* offset before which the ring's memory was */
	int64_t used_ms;      /* when much of it was used since; 0: not yet */
};

/* 0, or -errno and what failed in *stage. */
int terminal_open(struct terminal *t, unsigned cols, unsigned rows,
    enum launch_stage *stage);
void terminal_close(struct terminal *t);

/* The descriptor to wait for, or -1 when the ring is full or all is over. */
int terminal_wants(struct terminal *t);

/* Read what is there, but not for ever, and wake the host if it sleeps. */
void terminal_read(struct terminal *t, int64_t now_ms);

/* The host has made room. */
void terminal_has_room(struct terminal *t);

/* The program has ended: end with the last of those who have it open. */
void terminal_let_go(struct terminal *t);

/* Have the program's side open for another program; 0 or -errno. */
int terminal_renew(struct terminal *t);

/*
 * Have the program's side open again after somebody hung the terminal up, as
 * login programs do.  Reading tries this by itself; where it failed for want
 * of a descriptor, it is to be tried again now and then.
 */
void terminal_take_back(struct terminal *t);

/*
 * Read to the end of what was there when first called, and be true once that
 * is done; false when the ring is full before, to be called again.  Where
 * output never ends, this reads no more than any terminal can hold.
 */
bool terminal_settle(struct terminal *t, int64_t now_ms);

/*
 * When to give memory of the ring back, or CLOCK_NEVER; and do so.  The ring
 * is large for floods, of which most sessions see little.
 */
int64_t terminal_due_ms(const struct terminal *t);
void terminal_give_back(struct terminal *t);

/* The offset of the next byte. */
uint64_t terminal_offset(const struct terminal *t);

#endif
