#ifndef TEND_CMD_ATTACH_PICKING_H
#define TEND_CMD_ATTACH_PICKING_H

#include <stdbool.h>

#include "base/id.h"

struct call;

/*
 * The session that a person at the terminal wants, when none was named: the only
 * one that runs, or one picked from a list that renews itself.  "" in `id` when
 * the person left the list.  0, or the exit status after the failure was
 * reported.
 */
int picking_run(struct call *call, char id[ID_SIZE]);

/* Whether one runs besides that one; or nobody can say. */
bool picking_has_other(struct call *call, const char *id);

/* Whether there is a terminal to do so. */
bool picking_can(void);

#endif
