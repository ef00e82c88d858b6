#ifndef TEND_CMD_ATTACH_ATTACHING_H
#define TEND_CMD_ATTACH_ATTACHING_H

#include "client/keys.h"

struct attach_options;
struct call;
struct config;

/* Use the keys from the settings, unless `o` has a prefix. */
void attaching_keys(const struct config *c, struct attach_options *o);

/* The configured keys of a command, such as "C-] d". */
#define ATTACHING_PRESSED_MAX 128
void attaching_pressed(enum keys_command command,
    char out[ATTACHING_PRESSED_MAX]);

/*
 * Attach to the target's session.  Returns the exit status; a failure has been
 * reported.
 */
int attaching_run(struct call *call, const struct attach_options *o);

#endif
