#ifndef TEND_CMD_END_ENDING_H
#define TEND_CMD_END_ENDING_H

#include <stdint.h>

struct call;
struct ending;

/* Parse --grace to ms; `text` may be NULL.  Returns 0 or the exit status. */
int ending_grace(struct call *call, const char *text, uint32_t *grace_ms);

/* End the session (home/ending.h) and answer.  Returns the exit status. */
int ending_end(struct call *call, const struct ending *e);

#endif
