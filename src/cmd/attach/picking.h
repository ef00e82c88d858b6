#ifndef TEND_CMD_ATTACH_PICKING_H
#define TEND_CMD_ATTACH_PICKING_H

#include <stdbool.h>

#include "base/id.h"

struct call;

/*
 * Choose a session at the terminal if none was named: the only running one, or
 * one picked from a list that updates itself.  `id` is "" if the user left the
 * list.  Returns 0, or the exit status after reporting the failure.
 */
int picking_run(struct call *call, char id[ID_SIZE]);

/* True if another session runs, or if that is unknown. */
bool picking_has_other(struct call *call, const char *id);

/* True if there is a terminal for the list. */
bool picking_can(void);

#endif
