#ifndef TEND_OP_CONDITION_H
#define TEND_OP_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "op/conditions.h"

struct error;
struct pattern;

/*
 * The conditions of a wait: the parsed and checked arguments of session.wait.
 * All must hold at the same frame; sight.h tests that.
 */
enum condition_kind {
#define CONDITION_ID(NAME, ...) CONDITION_##NAME,
	CONDITIONS(CONDITION_ID, CONDITION_ID, CONDITION_ID, CONDITION_ID,
	    CONDITION_ID)
#undef CONDITION_ID
	    CONDITION_KINDS
};

/* The traits column of the table. */
enum condition_trait {
	CONDITION_OF_FRAME = 1 << 0,  /* a frame from before `after` fails */
	CONDITION_OF_SCREEN = 1 << 1, /* fails without a screen */
	CONDITION_OF_NOW = 1 << 2,    /* the log cannot answer it: it is about
	                                 the moment of the test */
	CONDITION_BLIND = 1 << 3,     /* needs no engine */
	CONDITION_FINDS = 1 << 4,     /* finds text; `seen` applies to it */
};

#define CONDITION_TEXT_MAX 4096 /* bytes */
#define CONDITION_MS_MAX (7u * 24 * 60 * 60 * 1000)
#define CONDITION_TIMEOUT_MS 30000 /* the default */
#define CONDITION_ANY -1           /* any row or column of the cursor */

struct condition {
	unsigned wanted; /* bits of enum condition_kind */
#define CONDITION_NONE(NAME, field, ...)
#define CONDITION_STRING(NAME, field, ...) char *field;
#define CONDITION_MS(NAME, field, ...) uint32_t field##_ms;
	CONDITIONS(CONDITION_STRING, CONDITION_NONE, CONDITION_MS,
	    CONDITION_NONE, CONDITION_NONE)
#undef CONDITION_STRING
#undef CONDITION_MS
#undef CONDITION_NONE
	struct pattern *regex;
	int row, col;           /* of the cursor, or CONDITION_ANY */
	unsigned activity;      /* bits of enum activity */
	char changed_since[65]; /* a hash or a prefix of one */

	bool seen; /* text and regex: also text that the next frame lacks */
	bool echo; /* text, regex, absent: include the echo of typed text */
	bool has_after; /* only lines that appeared after this event */
	uint64_t after;
	uint32_t timeout_ms;
};

/*
 * Parse arguments that op_take_arguments has accepted.  Returns -EINVAL and an
 * error that names the wrong one, as an argument of the operation or as an
 * option of a command line, and what would be right.  Then there is nothing to
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

/* The kinds that have this trait, as bits. */
unsigned condition_having(enum condition_trait trait);

/* The name in results: "text", "stable". */
const char *condition_name(enum condition_kind kind);

#endif
