#ifndef TEND_HOME_NEXT_HOST_H
#define TEND_HOME_NEXT_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "op/failure.h"

struct fault;
struct handle;
struct json_out;
struct manifest;

/*
 * The host that replaces the present one of a running session.  The program
 * keeps running; if the next host does not serve, the present one continues.  A
 * plain value.
 */
struct next_host {
	bool serves;
	enum failure failure; /* unless it serves, with `why` */
	struct error why;
	char from[64], to[64]; /* versions of the old and new host */
	pid_t pid;             /* of the new host */
	int64_t ms;            /* duration of the change */
};

/*
 * Open the program of a next host: the file at this path, or the installed
 * tend-host if path is NULL.  Return the descriptor, or -1 and the fault.
 */
int next_host_open(const char *path, struct fault *f);

/*
 * Ask the session in this directory to change to a host of this program, and
 * check that it serves.  The handle is that of its home.
 */
void next_host_upgrade(struct next_host *n, const struct handle *h, int dirfd,
    int program);

/*
 * The same for the session of a handle, which must run.  A revived session gets
 * a host of the same program with a working engine.  0, or -1 and the fault.
 */
int next_host_upgrade_one(struct next_host *n, const struct handle *h,
    int program, struct fault *f);
int next_host_revive_one(struct next_host *n, const struct handle *h,
    struct fault *f);

/* The outcome for this session, as the object `next_host` of op/types.def. */
void next_host_json(const struct next_host *n, const struct manifest *m,
    struct json_out *j);

#endif
