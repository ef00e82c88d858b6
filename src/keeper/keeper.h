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
 * The parts of a session that outlive its hosts, and their one loop.  The loop
 * allocates nothing and examines no byte of the terminal.
 *
 * When the program has ended, its output is read to the end: until the
 * terminal is closed by all processes, or was quiet for 200 ms, or for at most
 * 2 s.  Then the keeper sends EXIT to the host.  It still reads later output
 * of other processes on the terminal until the linger time has passed; then it
 * sends CLOSED.  A host that has written everything sends DONE, and the keeper
 * ends.
 */
enum keeper_stage {
	KEEPER_RUNNING,
	KEEPER_DRAINING,
	KEEPER_LINGERING, /* EXIT is sent */
	KEEPER_CLOSED,    /* CLOSED is sent */
	KEEPER_LEAVING,   /* DONE was received */
};

struct keeper {
	struct child child;
	struct child_plan plan;
	struct terminal terminal;
	struct hosts hosts;
	struct trial trial; /* of the host's successor */
	struct listener listener;
	int signals;    /* signalfd for SIGCHLD and SIGIO */
	uint64_t start; /* as process_start_time */
	enum keeper_stage stage;
	int start_error;      /* of restarting the program */
	uint64_t exit_offset; /* of the output when EXIT was sent */
	int64_t now_ms;       /* begin of this turn */
	int64_t check_ms;     /* next check of the socket */
	int64_t leave_ms;     /* time to leave, whatever the host does */
	int doorbell;         /* epoll: a client has connected; or -1 */
	int64_t looked_ms;    /* last check of the host */
	int64_t look_ms;      /* next check, or never */
	bool haunted;         /* it was dead then, but has not exited */
	bool lazy;            /* the kernel may delay our wakeup */
	bool told;            /* it reports removed files by SIGIO */
};

/* Begin: all parts are open and the program runs. */
void keeper_begin(struct keeper *k);

/* Wait for the next event and handle it.  False at the end. */
bool keeper_turn(struct keeper *k);

#endif
