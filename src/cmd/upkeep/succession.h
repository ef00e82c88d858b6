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
 * Leaving a running session to another host: what `upgrade` and `revive` have
 * in common.  A plain value.
 */
struct succession {
	bool done;
	enum failure failure; /* when it is not done, with `why` */
	struct error why;
	char from[64], to[64]; /* what the hosts call themselves */
	pid_t pid;             /* of the new one */
	int64_t ms;            /* that it took */
};

/*
 * Have the session of this directory followed by another host, and see that it
 * serves.  `op` is the operation; program is the next host's, or -1.
 */
void succession_make(int dirfd, const char *op, int program,
    struct succession *s);

/* Answer with what became of the call's session; the exit status. */
int succession_answer(struct call *call, const struct succession *s);

/* The same in a line of its own, or as an object, for one of many. */
void succession_words(const struct succession *s, const struct manifest *m,
    struct buf *out);
void succession_json(const struct succession *s, const struct manifest *m,
    struct json_out *j);

#endif
