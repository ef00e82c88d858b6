/*
 * A hostile profile and a hostile screen.  The input is the text of a profile,
 * a NUL, and bytes for a terminal.  A profile is refused with a reason, or can
 * be used: looks always end, give the same twice, and stay on the screen.  The
 * built-in profiles look at the screen too.
 */
#include "agent/look.h"

#include <stdlib.h>
#include <string.h>

#include "agent/profiles.h"
#include "fuzz.h"
#include "vt/vt.h"

#define COLS 40
#define ROWS 14

static bool
is_same(const struct agent_look *a, const struct agent_look *b)
{
	return a->activity == b->activity && a->rule == b->rule &&
	    a->proof == b->proof && a->row == b->row && a->box == b->box &&
	    a->folded == b->folded && a->box_row == b->box_row &&
	    a->unseen == b->unseen && strcmp(a->why, b->why) == 0;
}

static void
look(const struct agent_profile *p, const char *version, const struct vt *vt)
{
	struct agent_look first, again;
	const char *rule;

	agent_look(p, version, vt, &first);
	agent_look(p, version, vt, &again);
	MUST(is_same(&first, &again));
	MUST(first.activity < ACTIVITIES);
	MUST(first.row < ROWS && first.box_row < ROWS);
	MUST(!first.folded || first.box == AGENT_BOX_DRAFT);
	MUST((first.activity == ACTIVITY_UNKNOWN) == (first.why[0] != '\0'));
	MUST(agent_read_title(p, version, vt_title(vt), &rule) ==
		ACTIVITY_UNKNOWN ||
	    rule != NULL);
}

static void
look_at_all(const struct agent_profiles *all, const struct vt *vt)
{
	for (size_t i = 0; i < agent_profiles_count(all); i++) {
		const struct agent_profile *p = agent_profiles_at(all, i);
		char version[AGENT_VERSION_SIZE] = "";

		look(p, NULL, vt);
		look(p, "2.1.325", vt);
		if (agent_find_version(p, vt, version)) {
			MUST(version[0] != '\0');
			look(p, version, vt);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	const uint8_t *end = len > 0 ? memchr(p, '\0', len) : NULL;
	size_t text = end != NULL ? (size_t)(end - p) : len;
	size_t screen = end != NULL ? text + 1 : len;
	struct agent_profiles *all = agent_profiles_create();
	size_t n = agent_profiles_count(all);
	struct error err = { 0 };
	struct vt *vt = vt_create(&(struct vt_config){ .cols = COLS,
				      .rows = ROWS },
	    NULL);
	int rc = agent_profiles_add(all, "own", (const char *)p, text, &err);

	MUST(rc == 0 || err.msg[0] != '\0');
	MUST(agent_profiles_count(all) == n + (rc == 0));
	vt_feed(vt, p + screen, len - screen);
	look_at_all(all, vt);
	vt_destroy(vt);
	agent_profiles_destroy(all);
	return 0;
}
