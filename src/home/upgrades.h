#ifndef TEND_HOME_UPGRADES_H
#define TEND_HOME_UPGRADES_H

#include <stddef.h>

#include "home/next_host.h"
#include "session/manifest.h"

struct fault;
struct handle;
struct json_out;

/*
 * Upgrade every running session of a home, a few at once.  Sessions that cannot
 * be read are left out; listings report them.
 */
struct upgraded {
	struct manifest session;
	struct next_host host;
};
struct upgrades {
	struct upgraded *items;
	size_t n;
};

/* Called once for each session when it is done, never for two at a time. */
typedef void upgraded_fn(void *arg, const struct upgraded *item);

/*
 * Upgrade all of them to this program.  0, also if some are not upgraded, or -1
 * and the fault.  `done` may be NULL.  The caller calls upgrades_finish.
 */
int upgrades_run(struct upgrades *u, const struct handle *h, int program,
    upgraded_fn *done, void *arg, struct fault *f);
void upgrades_finish(struct upgrades *u);

/* The outcomes as an array. */
void upgrades_json(const struct upgrades *u, struct json_out *j);

#endif
