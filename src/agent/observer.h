#ifndef TEND_AGENT_OBSERVER_H
#define TEND_AGENT_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/judge.h"
#include "agent/look.h"
#include "agent/profile.h"

struct vt;

/*
 * Everything that an agent's terminal says: OSC 7501, the title, the screen, and
 * the verdict about all evidence.  It remembers since when each source says so,
 * and the version once it was shown.
 */
struct agent_observer {
	const struct agent_profile *profile;
	char version[AGENT_VERSION_SIZE]; /* "": not known */
	bool searched;                    /* the history was searched for it, */
	uint64_t scrolled; /* when so many rows had left the screen */
	struct agent_look look;
	/* The caller sets the sources that are not in the terminal. */
	struct agent_evidence evidence;
	struct agent_verdict verdict;
};

/* Look at the terminal, which shows a complete frame; `now_ms` is since_ms. */
void agent_observe(struct agent_observer *o, const struct vt *vt,
    int64_t now_ms);

#endif
