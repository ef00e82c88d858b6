#ifndef TEND_KEEPER_KEEPER_H
#define TEND_KEEPER_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "keeper/child.h"
#include "keeper/hosts.h"
#include "keeper/listener.h"
#include "keeper/terminal.h"
#include "keeper/trial.h"

/*
 * The parts of a session that outlive its hosts, and their one loop.  Nothing
 * is allocated in it, and no byte of the terminal is looked at.
 *
 * When the program has ended, its output is read to the end: until nobody has
 * the terminal open, or it was quiet for 200 ms, or for 2 s.  Then the host
 * hears EXIT.  What others on the terminal print later is still read, until
 * the time to linger has passed; then the host hears CLOSED.  A host that has
 * written all of it says DONE, and the keeper ends.
 */
enum keeper_stage {
	KEEPER_RUNNING,
	KEEPER_DRAINING,
	KEEPER_LINGERING, /* EXIT is told */
	KEEPER_CLOSED,    /* CLOSED is told */
	KEEPER_LEAVING,   /* DONE was heard */
};

struct keeper {
	struct child child;
	struct child_plan plan;
	struct terminal terminal;
	struct hosts hosts;
	struct trial trial; /* of who is to follow the host */
	struct listener listener;
	int signals;    /* signalfd for SIGCHLD and SIGIO */
	uint64_t start; /* as process_start_time */
	enum keeper_stage stage;
	int start_error;      /* of starting the program again */
	uint64_t exit_offset; /* where the output ended when EXIT was told */
	int64_t now_ms;       /* when this turn began */
	int64_t check_ms;     /* when to look at the socket next */
	int64_t leave_ms;     /* when to leave, whatever the host does */
	int doorbell;         /* epoll: another client has come; or -1 */
	int64_t looked_ms;    /* when we last looked at the host */
	int64_t look_ms;      /* when to look again, or never */
	bool haunted;         /* it was dead then, and is not gone */
	bool lazy;            /* the kernel may let us sleep a little longer */
	bool told;            /* it tells by SIGIO when a file goes */
};

/* Begin: the parts are open and the program runs. */
void keeper_begin(struct keeper *k);

/* Wait for something to happen and see to it.  False when all is over. */
bool keeper_turn(struct keeper *k);

#endif
