#ifndef TEND_HOST_CORE_DISPLAY_H
#define TEND_HOST_CORE_DISPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "host/core/changes.h"

struct ledger;
struct vt;
struct vt_event;

/*
 * Calls from the display to the parts above it.  The first two come from inside
 * the engine, while it is fed; they must not feed or resize it.
 */
struct display_hooks {
	/* The engine answers a query.  Answers are not logged. */
	void (*on_reply)(void *arg, const char *p, size_t len);
	/* The program set a title, rang the bell, marked a prompt ... */
	void (*on_event)(void *arg, const struct vt_event *ev);
	/* The screen is about to change without output. */
	void (*on_change)(void *arg);
	/* The size of the terminal and the screen has changed. */
	void (*on_resized)(void *arg);
	/* The engine was replaced, and the screen is empty. */
	void (*on_replaced)(void *arg);
};

/* The screen and its position in the output.  stream/engine.h changes it. */
struct display {
	/*
	 * The screen after all bytes before `shown`.  NULL in raw mode, after
	 * the engine has crashed too often: bytes are still logged and passed
	 * on, and only operations that need a screen fail.
	 */
	struct vt *vt;
	uint64_t shown;
	struct changes changes; /* the last event that changed each row */
	struct ledger *ledger;  /* the age of each line */

	/* An earlier host answered the queries before this offset. */
	uint64_t replies_from;

	const struct display_hooks *hooks;
	void *arg; /* of the hooks */
};

#endif
