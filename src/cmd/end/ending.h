#ifndef TEND_CMD_END_ENDING_H
#define TEND_CMD_END_ENDING_H

#include <stdint.h>

struct call;

#define ENDING_GRACE_MS 5000

/* What --grace says, in ms; `text` may be NULL.  0 or the exit status. */
int ending_grace(struct call *call, const char *text, uint32_t *grace_ms);

/*
 * Have the host end the session by this operation and wait until it has,
 * which takes about grace_ms.  Called with the host connected.  0, or the exit
 * status after the failure was reported.
 */
int ending_wait(struct call *call, const char *op, const char *args,
    uint32_t grace_ms);

/*
 * Answer with the session as it is: its object; or nothing, but a line when it
 * is one of several.
 */
int ending_answer(struct call *call);

#endif
