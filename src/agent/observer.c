#include "agent/observer.h"

#include <string.h>

#include "op/question.h"
#include "vt/program_status.h"
#include "vt/vt.h"

/* A source that says the same as before has done so since then. */
static void
hear(struct agent_said *said, struct agent_said now)
{
	const char *before = said->what != NULL ? said->what : "";

	if (said->activity == now.activity && said->proof == now.proof &&
	    said->unclear == now.unclear &&
	    strcmp(before, now.what != NULL ? now.what : "") == 0)
		now.since_ms = said->since_ms;
	*said = now;
}

static struct agent_said
title_says(const struct agent_observer *o, const struct vt *vt, int64_t ms)
{
	struct agent_said said = { .since_ms = ms };

	said.activity = agent_read_title(o->profile, o->version, vt_title(vt),
	    &said.what);
	return said;
}

static struct agent_said
screen_says(const struct agent_observer *o, int64_t ms)
{
	return (struct agent_said){
		.activity = o->look.activity,
		.proof = o->look.proof,
		.since_ms = ms,
		.what = o->look.rule,
	};
}

/* On the screen, or among the lines that have left it since the last look. */
static void
find_version(struct agent_observer *o, const struct vt *vt)
{
	uint64_t scrolled = vt_scrolled(vt), lines = AGENT_HISTORY_LINES;

	if (o->version[0] != '\0' ||
	    agent_find_version(o->profile, vt, o->version) ||
	    (o->searched && scrolled == o->scrolled))
		return;
	if (o->searched && scrolled > o->scrolled)
		lines = scrolled - o->scrolled;
	o->searched = true;
	o->scrolled = scrolled;
	(void)agent_find_past_version(o->profile, vt, lines, o->version);
}

void
agent_observe(struct agent_observer *o, const struct vt *vt, int64_t now_ms)
{
	struct agent_evidence *e = &o->evidence;

	find_version(o, vt);
	agent_look(o->profile, o->version, vt, &o->look);
	e->question_open = question_find(vt, NULL) != QUESTION_NONE;
	e->unseen = o->look.unseen;
	e->why = o->look.why;
	hear(&e->by[AGENT_SOURCE_STATUS],
	    agent_hear_status(vt_program_status(vt), now_ms));
	hear(&e->by[AGENT_SOURCE_TITLE], title_says(o, vt, now_ms));
	hear(&e->by[AGENT_SOURCE_SCREEN], screen_says(o, now_ms));
	agent_judge(e, &o->verdict);
}
