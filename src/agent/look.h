#ifndef TEND_AGENT_LOOK_H
#define TEND_AGENT_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/box.h"
#include "agent/versions.h"
#include "op/activity.h"

struct agent_profile;
struct vt;

#define AGENT_WHY_SIZE 192

/*
 * The meaning of a rendered screen.  Rules and box count only for versions
 * that the profile names as seen: a version that nobody has looked at gives
 * UNKNOWN and AGENT_BOX_NONE, and the reason.  So does a screen on which the
 * patterns take too many steps.
 */
struct agent_look {
	enum activity activity; /* by the first rule that holds */
	const char *rule;       /* its name, owned by the profile; NULL: none */
	bool proof;             /* the rule proves that the turn has ended */
	unsigned row;           /* a row that shows it */
	enum agent_box box;
	bool folded;      /* the draft has a folded paste */
	unsigned box_row; /* the first row of the box's text */
	bool unseen;      /* UNKNOWN, since nobody has seen this version */
	char why[AGENT_WHY_SIZE]; /* of UNKNOWN; otherwise "" */
};

/* version: NULL or "" if it is not known. */
void agent_look(const struct agent_profile *p, const char *version,
    const struct vt *vt, struct agent_look *out);

/* The version as the screen shows it, in a banner; false: it does not. */
bool agent_find_version(const struct agent_profile *p, const struct vt *vt,
    char out[AGENT_VERSION_SIZE]);

/*
 * The same in the last lines that have left the screen, for a banner that has
 * scrolled away.  Many lines take milliseconds.
 */
#define AGENT_HISTORY_LINES 2000 /* at most */
bool agent_find_past_version(const struct agent_profile *p, const struct vt *vt,
    uint64_t lines, char out[AGENT_VERSION_SIZE]);

/*
 * The activity by the terminal's title, and the name of the rule; UNKNOWN and
 * NULL if no rule fits the title or the version.
 */
enum activity agent_read_title(const struct agent_profile *p,
    const char *version, const char *title, const char **rule);

#endif
