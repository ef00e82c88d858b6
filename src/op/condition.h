#ifndef TEND_OP_CONDITION_H
#define TEND_OP_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "op/conditions.h"

struct error;
struct pattern;

/*
 * The conditions of a wait: the arguments of session.wait, read and checked.
 * All must hold at one frame; sight.h tests that.
 */
enum condition_kind {
#define CONDITION_ID(NAME, ...) CONDITION_##NAME,
	CONDITIONS(CONDITION_ID, CONDITION_ID, CONDITION_ID)
#undef CONDITION_ID
	    CONDITION_KINDS
};

#define CONDITION_TEXT_MAX 4096 /* bytes */
#define CONDITION_MS_MAX (7u * 24 * 60 * 60 * 1000)
#define CONDITION_TIMEOUT_MS 30000 /* unless it is said */
#define CONDITION_ANY -1           /* row or column of the cursor */

struct condition {
	unsigned wanted; /* bits of enum condition_kind */
	char *text, *absent;
	struct pattern *regex;
	int row, col;           /* of the cursor, or CONDITION_ANY */
	char changed_since[65]; /* a hash, or its beginning */
	uint32_t stable_ms, idle_ms;

	bool seen; /* text and regex: also what is gone by the next frame */
	bool echo; /* text and regex: also in the echo of what was typed */
	bool has_after; /* only what has come later than this event */
	uint64_t after;
	uint32_t timeout_ms;
};

/*
 * Read arguments that op_take_arguments has let pass.  -EINVAL and which of
 * them is wrong, and what would be right: as an argument of the operation, or
 * as the option of a command line that it came from.  Then nothing is to
 * finish.
 */
enum condition_names { CONDITION_ARGUMENTS, CONDITION_OPTIONS };
int condition_read(struct condition *c, const json_t *args,
    enum condition_names names, struct error *err);
void condition_finish(struct condition *c);

static inline bool
condition_wants(const struct condition *c, enum condition_kind kind)
{
	return c->wanted >> kind & 1;
}

/* As results name it: "text", "stable". */
const char *condition_name(enum condition_kind kind);

#endif
