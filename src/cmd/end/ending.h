#ifndef TEND_CMD_END_ENDING_H
#define TEND_CMD_END_ENDING_H

#include <stdint.h>

struct call;
struct ending;

/* What --grace says, in ms; `text` may be NULL.  0 or the exit status. */
int ending_grace(struct call *call, const char *text, uint32_t *grace_ms);

/* End the session (home/ending.h) and answer; the exit status. */
int ending_end(struct call *call, const struct ending *e);

/*
 * Answer with the session as it is: its object; or nothing, but a line when it
 * is one of several.
 */
int ending_answer(struct call *call);

#endif
