#ifndef TEND_HOME_ENDING_H
#define TEND_HOME_ENDING_H

#include <stdbool.h>
#include <stdint.h>

struct fault;
struct handle;

/* Ending a session: what to do, and waiting until it is done. */
enum ending_how {
	ENDING_STOP,    /* ask the program to end, kill it after the grace */
	ENDING_KILL,    /* end every process now */
	ENDING_DESTROY, /* stop it if it runs, and give up its name */
};

#define ENDING_GRACE_MS 5000
#define ENDING_GRACE_MAX_MS (24u * 60 * 60 * 1000)

struct ending {
	enum ending_how how;
	uint32_t grace_ms; /* of STOP and DESTROY */
	bool interrupt;    /* STOP: press Ctrl-C first */
	bool purge;        /* DESTROY: remove its files as well */
};

/*
 * End the session of the handle, and wait until it has ended; then the handle
 * has the session as it is now.  The host carries out a request that it has
 * taken, also when the caller stops waiting (handle.cancel_fd).
 */
int ending_run(struct handle *h, const struct ending *e, struct fault *f);

#endif
