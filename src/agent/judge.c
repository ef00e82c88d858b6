#include "agent/judge.h"

#include <stdio.h>
#include <string.h>

#include "vt/program_status.h"

static const char *const source_names[AGENT_SOURCES] = {
	[AGENT_SOURCE_NONE] = "none",
	[AGENT_SOURCE_STATUS] = "status",
	[AGENT_SOURCE_CHANNEL] = "channel",
	[AGENT_SOURCE_HOOK] = "hook",
	[AGENT_SOURCE_TITLE] = "title",
	[AGENT_SOURCE_SCREEN] = "screen",
};

static const char *const confidence_names[AGENT_CONFIDENCES] = {
	[AGENT_UNSURE] = "unsure",
	[AGENT_LIKELY] = "likely",
	[AGENT_CERTAIN] = "certain",
};

const char *
agent_source_name(enum agent_source s)
{
	return source_names[s];
}

const char *
agent_confidence_name(enum agent_confidence c)
{
	return confidence_names[c];
}

/* ---------------------------------------------------------------- OSC 7501 */

static const struct agent_said by_state[PROGRAM_STATES] = {
	[PROGRAM_IDLE] = { .activity = ACTIVITY_IDLE, .what = "state=idle" },
	[PROGRAM_WORKING] = { .activity = ACTIVITY_WORKING,
	    .what = "state=working" },
	[PROGRAM_DONE] = { .activity = ACTIVITY_DONE, .what = "state=done" },
	[PROGRAM_ERROR] = { .activity = ACTIVITY_ERROR, .what = "state=error" },
};

/* A notice is reported as blocked too, without a kind. */
static const struct agent_said by_kind[PROGRAM_KINDS] = {
	[PROGRAM_NO_KIND] = { .activity = ACTIVITY_WAITING_QUESTION,
	    .unclear = true,
	    .what = "state=blocked" },
	[PROGRAM_PERMISSION] = { .activity = ACTIVITY_WAITING_PERMISSION,
	    .what = "state=blocked kind=permission" },
	[PROGRAM_QUESTION] = { .activity = ACTIVITY_WAITING_QUESTION,
	    .what = "state=blocked kind=question" },
	[PROGRAM_AUTH] = { .activity = ACTIVITY_NEEDS_SETUP,
	    .what = "state=blocked kind=auth" },
};

struct agent_said
agent_hear_status(const struct program_status *s, int64_t since_ms)
{
	struct agent_said said = s->state == PROGRAM_BLOCKED ?
	    by_kind[s->kind] :
	    by_state[s->state];

	said.since_ms = since_ms;
	return said;
}

/* ---------------------------------------------------------------- judgement */

/* The turn is over, one way or another. */
static bool
is_over(enum activity a)
{
	return a == ACTIVITY_IDLE || a == ACTIVITY_DONE || a == ACTIVITY_ERROR;
}

static bool
is_dialog(enum activity a)
{
	return a == ACTIVITY_WAITING_PERMISSION ||
	    a == ACTIVITY_WAITING_QUESTION || a == ACTIVITY_NEEDS_SETUP;
}

static enum agent_source
best_source(const struct agent_evidence *e)
{
	for (int s = AGENT_SOURCE_NONE + 1; s < AGENT_SOURCES; s++)
		if (e->by[s].activity != ACTIVITY_UNKNOWN)
			return (enum agent_source)s;
	return AGENT_SOURCE_NONE;
}

/* A lesser source that contradicts the best one, and is right. */
static enum agent_source
later_source(const struct agent_evidence *e, enum agent_source best,
    bool (*contradicts)(const struct agent_said *best,
	const struct agent_said *other))
{
	for (int s = best + 1; s < AGENT_SOURCES; s++)
		if (contradicts(&e->by[best], &e->by[s]))
			return (enum agent_source)s;
	return AGENT_SOURCE_NONE;
}

static bool
is_later(const struct agent_said *edge, const struct agent_said *level)
{
	return level->since_ms > edge->since_ms;
}

/* A hook said that the turn has ended, or that somebody must answer. */
static bool
works_again(const struct agent_said *hook, const struct agent_said *other)
{
	return hook->activity != ACTIVITY_WORKING &&
	    other->activity == ACTIVITY_WORKING && is_later(hook, other);
}

/* Nobody calls a hook when a person interrupts a turn. */
static bool
was_interrupted(const struct agent_said *hook, const struct agent_said *other)
{
	return !is_over(hook->activity) && is_over(other->activity) &&
	    other->proof && is_later(hook, other);
}

/* A hook or a title at rest, while the screen works. */
static bool
is_busy(const struct agent_evidence *e, enum agent_source best)
{
	return (best == AGENT_SOURCE_HOOK || best == AGENT_SOURCE_TITLE) &&
	    is_over(e->by[best].activity) &&
	    e->by[AGENT_SOURCE_SCREEN].activity == ACTIVITY_WORKING;
}

/* A title at rest that knows no errors, while the screen shows one. */
static bool
has_failed(const struct agent_evidence *e, enum agent_source best)
{
	return best == AGENT_SOURCE_TITLE && is_over(e->by[best].activity) &&
	    e->by[AGENT_SOURCE_SCREEN].activity == ACTIVITY_ERROR;
}

/* The source that decides when no dialog is open. */
static enum agent_source
deciding(const struct agent_evidence *e, enum agent_source best)
{
	enum agent_source other = AGENT_SOURCE_NONE;

	if (best == AGENT_SOURCE_HOOK)
		other = later_source(e, best, works_again);
	if (best == AGENT_SOURCE_HOOK && other == AGENT_SOURCE_NONE)
		other = later_source(e, best, was_interrupted);
	if (other == AGENT_SOURCE_NONE &&
	    (is_busy(e, best) || has_failed(e, best)))
		other = AGENT_SOURCE_SCREEN;
	return other != AGENT_SOURCE_NONE ? other : best;
}

static bool
agrees(enum activity a, enum activity b)
{
	return a == b || (is_over(a) && is_over(b));
}

static enum agent_confidence
confidence(const struct agent_evidence *e, enum agent_source s)
{
	if (s <= AGENT_SOURCE_CHANNEL)
		return AGENT_CERTAIN;
	for (int i = s + 1; i < AGENT_SOURCES; i++)
		if (agrees(e->by[s].activity, e->by[i].activity))
			return AGENT_CERTAIN;
	return AGENT_LIKELY;
}

static const char *
words_of(const struct agent_said *said)
{
	return said->what != NULL ? said->what : activity_name(said->activity);
}

/* `best` has said so, and nothing speaks against it. */
static void
believe(const struct agent_evidence *e, enum agent_source s,
    enum agent_source best, struct agent_verdict *out)
{
	const struct agent_said *said = &e->by[s];

	out->activity = said->activity;
	out->source = s;
	out->confidence = s == best ? confidence(e, s) : AGENT_LIKELY;
	if (s == best)
		snprintf(out->reason, sizeof(out->reason), "the %s says %s",
		    source_names[s], words_of(said));
	else
		snprintf(out->reason, sizeof(out->reason),
		    "the %s says %s, after the %s said %s", source_names[s],
		    words_of(said), source_names[best], words_of(&e->by[best]));
}

/* The screen shows a dialog, by a rule or, as a guess, by its looks. */
static void
believe_dialog(const struct agent_evidence *e, enum agent_source best,
    struct agent_verdict *out)
{
	const struct agent_said *screen = &e->by[AGENT_SOURCE_SCREEN];
	bool by_rule = is_dialog(screen->activity);

	out->activity = by_rule ? screen->activity : ACTIVITY_WAITING_QUESTION;
	out->source = AGENT_SOURCE_SCREEN;
	out->confidence = by_rule ? AGENT_LIKELY : AGENT_UNSURE;
	snprintf(out->reason, sizeof(out->reason),
	    "the screen shows %s%s%s%s%s",
	    by_rule ? words_of(screen) : "a question",
	    best != AGENT_SOURCE_NONE ? ", although the " : "",
	    best != AGENT_SOURCE_NONE ? source_names[best] : "",
	    best != AGENT_SOURCE_NONE ? " says " : "",
	    best != AGENT_SOURCE_NONE ? words_of(&e->by[best]) : "");
}

static void
know_nothing(const struct agent_evidence *e, struct agent_verdict *out)
{
	out->activity = ACTIVITY_UNKNOWN;
	out->source = AGENT_SOURCE_NONE;
	out->confidence = AGENT_UNSURE;
	snprintf(out->reason, sizeof(out->reason), "%s",
	    e->why != NULL && *e->why != '\0' ? e->why :
						"no source says anything");
}

/*
 * That it waits is certain, for what is a guess.  It may also be a notice that
 * asks nothing, so the screen counts if it works, or has come to rest since.
 */
static void
guess(const struct agent_evidence *e, enum agent_source best,
    struct agent_verdict *out)
{
	const struct agent_said *screen = &e->by[AGENT_SOURCE_SCREEN];

	if (screen->activity == ACTIVITY_WORKING ||
	    (is_over(screen->activity) && !e->question_open &&
		is_later(&e->by[best], screen))) {
		believe(e, AGENT_SOURCE_SCREEN, best, out);
		return;
	}
	out->activity = e->by[best].activity;
	out->source = best;
	out->confidence = AGENT_UNSURE;
	snprintf(out->reason, sizeof(out->reason),
	    "the %s says %s, and the screen does not show for what",
	    source_names[best], words_of(&e->by[best]));
}

/* The screen shows a dialog: true if that counts more than the source. */
static bool
dialog_counts(const struct agent_evidence *e, enum agent_source s)
{
	const struct agent_said *said = &e->by[s];
	enum activity screen = e->by[AGENT_SOURCE_SCREEN].activity;
	bool drawn = is_dialog(screen);

	if (s == AGENT_SOURCE_SCREEN)
		return !drawn && is_over(said->activity) && e->question_open;
	if (s == AGENT_SOURCE_NONE)
		return e->question_open && !e->unseen;
	if (s == AGENT_SOURCE_TITLE && is_dialog(said->activity))
		return drawn && screen != said->activity;
	if (is_over(said->activity))
		return drawn || e->question_open;
	return drawn && (said->activity == ACTIVITY_WORKING || said->unclear);
}

void
agent_judge(const struct agent_evidence *e, struct agent_verdict *out)
{
	enum agent_source best = best_source(e);
	enum agent_source s = deciding(e, best);

	if (dialog_counts(e, s))
		believe_dialog(e, s, out);
	else if (best == AGENT_SOURCE_NONE)
		know_nothing(e, out);
	else if (e->by[best].unclear)
		guess(e, best, out);
	else
		believe(e, s, best, out);
}
