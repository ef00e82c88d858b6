#ifndef TEND_HOME_ENDING_H
#define TEND_HOME_ENDING_H

#include <stdbool.h>
#include <stdint.h>

struct fault;
struct handle;

/* End a session and wait until it has ended. */
enum ending_how {
	ENDING_STOP,    /* ask the program to end, then kill it */
	ENDING_KILL,    /* end all processes now */
	ENDING_DESTROY, /* stop it if it runs, and free its name */
};

#define ENDING_GRACE_MS 5000
#define ENDING_GRACE_MAX_MS (24u * 60 * 60 * 1000)

struct ending {
	enum ending_how how;
	uint32_t grace_ms; /* for STOP and DESTROY */
	bool interrupt;    /* STOP: press Ctrl-C first */
	bool purge;        /* DESTROY: also remove its files */
};

/*
 * End the handle's session and wait for that; the handle then has its new
 * state.  Once the host has the request it completes it, even if the caller
 * stops waiting (handle.cancel_fd).
 */
int ending_run(struct handle *h, const struct ending *e, struct fault *f);

#endif
