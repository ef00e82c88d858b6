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
 * An exec step fails if `ok` does not contain the command's exit status;
 * without `ok`, if the status is not 0.  The code is then STEP_EXIT_STATUS.
 */
enum step_flags {
	STEP_TYPES = 1 << 0,   /* typed input, an item of session.send */
	STEP_ANCHORS = 1 << 1, /* later waits ignore lines from before it */
	STEP_WAITS = 1 << 2,
};

#define STEP_FOREVER_MS (INT_MAX / 2)
#define STEP_CODE_SIZE 32
#define STEP_EXIT_STATUS "exit_status"

struct step {
	const char *name; /* its key */
	const char *op;
	unsigned flags; /* enum step_flags */
	json_t *args;
	json_t *ok;       /* allowed exit statuses; NULL: 0 */
	int64_t limit_ms; /* its own timeout; STEP_FOREVER_MS: none */
	const struct kind *kind;
};

/*
 * Parse and check a step.  Returns 0, or -EINVAL and an error; then there is
 * nothing to finish.
 */
int step_read(struct step *s, const json_t *object, struct error *err);
void step_finish(struct step *s); /* also for a step of all zeros */

/* True if the result is a success; otherwise a code and an error. */
bool step_judge(const struct step *s, const json_t *result,
    char code[STEP_CODE_SIZE], struct error *err);

#endif
