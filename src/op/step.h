#ifndef TEND_OP_STEP_H
#define TEND_OP_STEP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

struct error;
struct kind;

/*
 * A step of a batch, as an operation and its arguments.  It is written as an
 * object of one key:
 *
 *	{"text":"ls"} {"keys":["Enter"]} {"paste":"…"} {"hex":"…"} {"mouse":"…"}
 *	{"prompt":"do it"}	or its arguments, {"prompt":{"text":"…",…}}
 *	{"exec":"make"}		or {"exec":{"command":"…",…}}
 *	{"exec":"grep x f","ok":[0,1]}	or {"exec":{"command":"…","ok":[0,1]}}
 *	{"wait":"ready"}	or {"wait":{"regex":"…","timeout":"5s"}}
 *	{"snapshot":{}}
 *
 * Objects are the arguments of the operation session.<key>.
 *
 * A command fails its step when it ends with a status that `ok` does not have;
 * without `ok`, with another than 0.  The code of that is STEP_EXIT_STATUS.
 */
enum step_flags {
	STEP_TYPES = 1 << 0, /* it is what is typed, an item of session.send */
	STEP_ANCHORS = 1
	    << 1, /* waits after it are about what comes after it */
	STEP_WAITS = 1 << 2,
};

#define STEP_FOREVER_MS (INT_MAX / 2)
#define STEP_CODE_SIZE 32
#define STEP_EXIT_STATUS "exit_status"

struct step {
	const char *name; /* the key */
	const char *op;
	unsigned flags; /* enum step_flags */
	json_t *args;
	json_t *ok;       /* statuses with which a command may end; NULL: 0 */
	int64_t limit_ms; /* of its own; STEP_FOREVER_MS: none */
	const struct kind *kind;
};

/*
 * Read and check it.  0, or -EINVAL and what would be right; then nothing is
 * to finish.
 */
int step_read(struct step *s, const json_t *object, struct error *err);
void step_finish(struct step *s); /* of one that is all zero, too */

/* Check if its result is a success; else a word for why not, and why. */
bool step_judge(const struct step *s, const json_t *result,
    char code[STEP_CODE_SIZE], struct error *err);

#endif
