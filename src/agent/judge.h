#ifndef TEND_AGENT_JUDGE_H
#define TEND_AGENT_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "op/activity.h"

struct program_status;

/*
 * All evidence about an agent, weighed to one verdict.  The best source that
 * says something decides, in the order of enum agent_source.  Silence decides
 * nothing.  The promise is that no verdict says idle or done wrongly, so:
 *
 *  - Idle, done and error are not believed while the screen shows a dialog, and
 *    neither is working if a rule knows the dialog.  The dialog counts.
 *  - Idle and done of a hook or a title are not believed while the screen
 *    works.
 *  - A hook tells of a moment: a title or a screen that has begun to work since
 *    then counts more.
 *  - A title that waits does not tell for what; the dialog on the screen does.
 *  - A question that no rule knows is a guess.  If no source says anything,
 *    it counts for a version that was seen, and not for another.
 *  - Working is not overridden by a screen that merely shows an empty box.
 *    Only a hook's gives way to later proof that the turn has ended, since
 *    agents call no hook when a person interrupts them.
 */
enum agent_source {
	AGENT_SOURCE_NONE,
	AGENT_SOURCE_STATUS,  /* OSC 7501 */
	AGENT_SOURCE_CHANNEL, /* a structured channel of the agent's own */
	AGENT_SOURCE_HOOK,    /* the last hook that it called */
	AGENT_SOURCE_TITLE,
	AGENT_SOURCE_SCREEN,
	AGENT_SOURCES
};

enum agent_confidence {
	AGENT_UNSURE, /* a guess that is safe to act on only with care */
	AGENT_LIKELY,
	AGENT_CERTAIN,
	AGENT_CONFIDENCES
};

/* The word of one source; UNKNOWN if it says nothing. */
struct agent_said {
	enum activity activity;
	bool unclear;     /* it waits, but for what is a guess */
	bool proof;       /* of the end of the turn (look.h) */
	int64_t since_ms; /* since when, on any clock that all sources share */
	const char *what; /* its own words: a rule, a hook; borrowed */
};

struct agent_evidence {
	struct agent_said by[AGENT_SOURCES];
	bool question_open; /* op/question.h sees a question on the screen */
	bool unseen;        /* the version (look.h) */
	const char *why;    /* why the screen says nothing; NULL: no reason */
};

/*
 * Idle and done by title or screen alone count once they have held for so long:
 * agents also draw them between two steps, and before their first dialog.
 */
#define AGENT_HOLD_MS 500

#define AGENT_REASON_SIZE 256

struct agent_verdict {
	enum activity activity;
	enum agent_source source;
	enum agent_confidence confidence;
	char reason[AGENT_REASON_SIZE]; /* for people, never empty */
};

void agent_judge(const struct agent_evidence *e, struct agent_verdict *out);

/* The meaning of the status of OSC 7501. */
struct agent_said agent_hear_status(const struct program_status *s,
    int64_t since_ms);

/* "status", "channel", "hook", "title", "screen", "none". */
const char *agent_source_name(enum agent_source s);
/* "unsure", "likely", "certain". */
const char *agent_confidence_name(enum agent_confidence c);

#endif
