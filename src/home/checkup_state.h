#ifndef TEND_HOME_CHECKUP_STATE_H
#define TEND_HOME_CHECKUP_STATE_H

#include <stdint.h>

#include "home/checkup.h"
#include "home/config.h"

/*
 * The checks of a home.  To add one, declare its function here, write it in one
 * of checkup_*.c, and add a row to the table in checkup.c.
 */
typedef void checkup_look_fn(struct checkup *c);

checkup_look_fn checkup_config;             /* checkup_config.c */
checkup_look_fn checkup_home, checkup_disk; /* checkup_home.c */
checkup_look_fn checkup_sessions;           /* checkup_sessions.c */

/* A limit as `run` has it: by variable, file or default. */
uint64_t checkup_limit(const struct checkup *c, enum config_key key);

#endif
