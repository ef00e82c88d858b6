#include "cmd/look/trouble.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "cmd/line/out.h"
#include "session/manifest.h"
#include "home/words.h"

/* %s in a line is the session's name. */
static const char *const unlogged_lines[] = {
	"The program runs on and viewers see everything.  What comes meanwhile",
	"is kept in memory, up to 1 MiB; more than that will be missing in the",
	"log, which will say so.  It goes on by itself once the disk takes it:",
	"make room there, 'df' shows where it is short.",
	NULL,
};

static const char *const raw_lines[] = {
	"The session is logged, typed at and attached to as before, but without",
	"the terminal engine nobody knows what its screen looks like.",
	"'tend revive %s' starts the engine anew; 'tend upgrade %s' does so",
	"with the tend that is installed now.",
	NULL,
};

static const char *const skipped_lines[] = {
	"The log has those bytes, and all that came later is on the screen.",
	"'tend revive %s' takes this mark away.",
	NULL,
};

static const char *const unkept_lines[] = {
	"its keeper, which waits for the program, was killed.",
	"The session lives on, and can be used and stopped, as long as its host",
	"does; it cannot be upgraded, and how its program ends nobody will",
	"know: it will be 'lost'.  Nothing brings the keeper back; 'tend stop %s'",
	"and 'tend rerun %s' begin again.",
	NULL,
};

static const char *const lost_lines[] = {
	"the machine went down, or its keeper and host were killed, so that",
	"nobody saw how its program ended.  'tend log %s' and 'tend snapshot %s'",
	"show what it had done; 'tend rerun %s' starts it again.",
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

/* The word, what happened (or NULL: the first line says it), the lines. */
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
trouble_put(const struct manifest *m, const char *unlogged, struct buf *out)
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
