#include "cmd/look/problems.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "cmd/line/out.h"
#include "home/words.h"
#include "session/manifest.h"

/* %s in a line is the session's name. */
static const char *const unlogged_lines[] = {
	"The program keeps running and viewers see everything.  The host keeps",
	"up to 1 MiB of output in memory; anything beyond that will be missing",
	"from the log, and the log records the gap.  Logging resumes by itself",
	"when the disk has space again; 'df' shows which disk is full.",
	NULL,
};

static const char *const raw_lines[] = {
	"The session is still logged, and you can type and attach, but it has no",
	"screen, because the terminal engine is off.",
	"'tend revive %s' restarts the engine; 'tend upgrade %s' does the same",
	"with the installed version of tend.",
	NULL,
};

static const char *const skipped_lines[] = {
	"The log still has all of that output.  'tend revive %s' clears this",
	"notice.",
	NULL,
};

static const char *const unkept_lines[] = {
	"its keeper, the parent of the program, was killed.",
	"You can use and stop the session as long as its host lives, but it",
	"cannot be upgraded.  The exit status of its program will not be known:",
	"the session will be 'lost'.  A keeper cannot be replaced; 'tend stop %s'",
	"and 'tend rerun %s' start again with a new one.",
	NULL,
};

static const char *const lost_lines[] = {
	"the machine went down, or its keeper and host were killed, so the exit",
	"status of its program is unknown.  'tend log %s' and 'tend snapshot %s'",
	"show its output; 'tend rerun %s' starts it again.",
	NULL,
};

static void
put_line(struct buf *out, const char *line, const char *name)
{
	const char *hole;

	while ((hole = strstr(line, "%s")) != NULL) {
		buf_append(out, line, (size_t)(hole - line));
		words_put_safe(out, name);
		line = hole + 2;
	}
	buf_puts(out, line);
	buf_putc(out, '\n');
}

/* `what` is NULL if the first line contains it. */
static void
put(struct buf *out, const struct manifest *m, const char *word,
    const char *what, const char *const *lines)
{
	buf_printf(out, "%-12s ", word);
	if (what != NULL) {
		words_put_safe(out, what);
		buf_putc(out, '\n');
	}
	for (size_t i = 0; lines[i] != NULL; i++) {
		if (i > 0 || what != NULL)
			buf_printf(out, "%-12s ", "");
		put_line(out, lines[i], m->name[0] != '\0' ? m->name : m->id);
	}
}

void
problems_put(const struct manifest *m, const char *unlogged, struct buf *out)
{
	bool active = status_is_active(m->status);

	if (unlogged != NULL)
		put(out, m, "unlogged", unlogged, unlogged_lines);
	if (m->degraded != NULL && active)
		put(out, m, "degraded", m->degraded,
		    m->raw ? raw_lines : skipped_lines);
	else if (m->degraded != NULL)
		put(out, m, "degraded", m->degraded,
		    (const char *const[]){ NULL });
	if (m->unkept && active)
		put(out, m, "unkept", NULL, unkept_lines);
	if (m->outcome == OUTCOME_LOST)
		put(out, m, "lost", NULL, lost_lines);
}
