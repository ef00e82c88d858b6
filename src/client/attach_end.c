#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "client/attach_state.h"
#include "log/by.h"
#include "log/reader.h"
#include "log/replay.h"
#include "session/manifest.h"
#include "vt/vt.h"

#define LOST_STATUS 125
#define ROWS_MAX 10 /* printed of a screen that the user has seen */

void
attach_finish(struct attach *a, enum ending ending, int status)
{
	if (a->ending != GOING_ON)
		return;
	a->ending = ending;
	a->status = status;
}

void
attach_fail(struct attach *a)
{
	attach_finish(a, FAILED, -a->error.code);
}

/*
 * The screen of a session that ended before we attached, or that we do not
 * have.
 */
static struct vt *
replay_last(int dirfd)
{
	auto_close int fd = openat(dirfd, "log",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct log_reader *log = NULL;
	struct replay r = { 0 };

	if (fd < 0 || log_reader_open(&log, fd, NULL) < 0)
		return NULL;
	if (replay_end(log, false, &r, NULL) < 0)
		r.vt = NULL;
	log_reader_close(log);
	return r.vt;
}

/*
 * Leaving the alternate screen removes the session's screen, so some of it is
 * printed again: at most half of the terminal, or as much as fits if the user
 * has not seen it.  In line mode it is there already.
 */
static void
keep_rows(struct attach *a, bool was_over, unsigned rows)
{
	struct vt *seen = was_over ? NULL : mirror_look(&a->mirror);
	struct vt *read = NULL;

	if (a->view.as_is || (a->options->in_line && !was_over))
		return;
	if (seen == NULL)
		seen = read = replay_last(a->dirfd);
	if (was_over)
		rows = rows > 6 ? rows - 5 : 1; /* our lines and a prompt */
	else
		rows = rows / 2 < ROWS_MAX ? rows / 2 : ROWS_MAX;
	if (seen != NULL)
		farewell_rows(seen, rows, &a->last_words);
	vt_destroy(read);
}

void
attach_finish_ended(struct attach *a, struct farewell *how)
{
	unsigned cols, rows;

	if (a->ending != GOING_ON)
		return;
	term_size(&a->term, &cols, &rows);
	how->name = a->name;
	if (!how->destroyed)
		keep_rows(a, how->was_over, rows);
	farewell_text(how, cols, &a->last_words);
	buf_putc(&a->last_words, '\n');
	attach_finish(a, ENDED,
	    how->signo > 0     ? 128 + how->signo :
		how->code >= 0 ? how->code :
				 LOST_STATUS);
}

/* Name the client that detached us, unless it is this user. */
static void
name_of(const char *by, char *out, size_t size)
{
	const struct passwd *pw = NULL;
	const char *who;
	unsigned uid = 0;
	struct by read;

	by_parse(by, strlen(by), &read);
	who = read.principal[0] != '\0' ? read.principal : read.peer;
	if (sscanf(who, "uid:%u", &uid) == 1) {
		if (uid == getuid()) {
			snprintf(out, size, "another of your terminals");
			return;
		}
		pw = getpwuid(uid);
	}
	snprintf(out, size, "%s", pw != NULL ? pw->pw_name : who);
}

void
attach_finish_detached(struct attach *a, const char *by)
{
	char who[BY_SIZE];

	if (a->ending != GOING_ON)
		return;
	buf_printf(&a->last_words, "[detached from %s", a->name);
	if (by != NULL) {
		name_of(by, who, sizeof(who));
		buf_printf(&a->last_words, " by %s", who);
	} else {
		buf_printf(&a->last_words, " \u00b7 tend attach %s", a->name);
	}
	buf_puts(&a->last_words, "]\n");
	attach_finish(a, DETACHED, 0);
}

bool
attach_is_over(struct attach *a)
{
	struct manifest m;
	bool over = false;

	manifest_init(&m);
	if (manifest_read_now(a->dirfd, &m, NULL) == 0 &&
	    !status_is_active(m.status)) {
		struct farewell how = { .outcome = outcome_name(m.outcome),
			.was_over = !a->term.taken && !a->options->started,
			.destroyed = m.status == STATUS_DESTROYED,
			.code = m.has_exit ? m.exit_code : -1,
			.signo = m.has_exit ? m.exit_signal : 0 };

		over = true;
		attach_finish_ended(a, &how);
	}
	manifest_finish(&m);
	return over;
}
