#ifndef TEND_CMD_UPKEEP_SUCCESSION_H
#define TEND_CMD_UPKEEP_SUCCESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "cmd/line/out.h"

struct buf;
struct call;
struct json_out;
struct manifest;

/*
 * Replace the host of a running session: the common part of `upgrade` and
 * `revive`.  A plain value.
 */
struct succession {
	bool done;
	enum failure failure; /* if not done, with `why` */
	struct error why;
	char from[64], to[64]; /* versions of the old and new host */
	pid_t pid;             /* of the new host */
	int64_t ms;            /* duration of the change */
};

/*
 * Replace the host of the session in this directory, and check that the new
 * host serves it.  `op` is the operation; program is the new host's program, or
 * -1.
 */
void succession_make(int dirfd, const char *op, int program,
    struct succession *s);

/* Answer with the outcome for the call's session.  Returns the exit status. */
int succession_answer(struct call *call, const struct succession *s);

/* The same as one line or object, for one of many sessions. */
void succession_words(const struct succession *s, const struct manifest *m,
    struct buf *out);
void succession_json(const struct succession *s, const struct manifest *m,
    struct json_out *j);

#endif
