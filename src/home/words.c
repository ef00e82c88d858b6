#include "home/words.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "home/units.h"
#include "session/manifest.h"

/*
 * Names of programs and files may contain anything; terminals must not see it
 * raw.
 */
static void
put_escaped(struct buf *out, const char *s, bool lines)
{
	struct utf8 u = { 0 };
	const char *from = s;
	uint32_t cp;

	for (; *s != '\0'; s++) {
		enum utf8_step step = utf8_step(&u, (uint8_t)*s, &cp);

		if (step == UTF8_MORE)
			continue;
		if (step == UTF8_BAD_AGAIN)
			s--;
		if (step == UTF8_DONE &&
		    (!utf8_acts(cp) || (lines && cp == '\n')))
			buf_append(out, from, (size_t)(s + 1 - from));
		else
			for (const char *p = from; p <= s; p++)
				buf_printf(out, "\\x%02x", (uint8_t)*p);
		from = s + 1;
	}
	for (; *from != '\0'; from++)
		buf_printf(out, "\\x%02x", (uint8_t)*from);
}

void
words_put_safe(struct buf *out, const char *s)
{
	put_escaped(out, s, false);
}

void
words_put_lines(struct buf *out, const char *s)
{
	put_escaped(out, s, true);
}

void
words_signal(int signo, char *out, size_t size)
{
	const char *name = sigabbrev_np(signo);

	if (name != NULL)
		snprintf(out, size, "SIG%s", name);
	else if (signo >= SIGRTMIN && signo <= SIGRTMAX)
		snprintf(out, size, "SIGRTMIN+%d", signo - SIGRTMIN);
	else
		snprintf(out, size, "signal %d", signo);
}

int
words_signal_number(const char *s)
{
	uint64_t n;

	if (units_number(s, (uint64_t)SIGRTMAX, &n))
		return n > 0 ? (int)n : -1;
	if (strncasecmp(s, "SIG", 3) == 0)
		s += 3;
	for (int signo = 1; signo < SIGRTMIN; signo++) {
		const char *name = sigabbrev_np(signo);

		if (name != NULL && strcasecmp(name, s) == 0)
			return signo;
	}
	return -1;
}

/* The program's exit status, if known. */
static void
put_exit(const struct manifest *m, char *out, size_t size)
{
	char name[32];

	if (!m->has_exit) {
		snprintf(out, size, "ended, exit status unknown");
	} else if (m->exit_signal != 0) {
		words_signal(m->exit_signal, name, sizeof(name));
		snprintf(out, size, "was ended by %s", name);
	} else {
		snprintf(out, size, "exited with %d", m->exit_code);
	}
}

void
words_outcome(const struct manifest *m, char *out, size_t size)
{
	char how[64];

	put_exit(m, how, sizeof(how));
	if (m->status == STATUS_DESTROYED)
		snprintf(out, size, "was destroyed");
	else if (status_is_active(m->status))
		snprintf(out, size, "is %s", status_name(m->status));
	else if (m->outcome == OUTCOME_LOST && m->copied)
		snprintf(out, size,
		    "is a copy: the session runs in the directory it was "
		    "copied from");
	else if (m->outcome == OUTCOME_LOST)
		snprintf(out, size,
		    "is lost: the machine was restarted or its processes were "
		    "killed");
	else if (m->outcome == OUTCOME_STOPPED)
		snprintf(out, size, "was stopped (it %s)", how);
	else if (m->outcome == OUTCOME_KILLED)
		snprintf(out, size, "was killed");
	else
		snprintf(out, size, "%s", how);
}

void
words_status(const struct manifest *m, char *out, size_t size)
{
	const char *outcome = outcome_name(m->outcome);
	char name[32];

	if (m->status == STATUS_RUNNING && m->restart != RESTART_NEVER &&
	    m->child.pid == 0)
		snprintf(out, size, "restarting");
	else if (status_is_active(m->status) || m->status == STATUS_DESTROYED ||
	    outcome == NULL)
		snprintf(out, size, "%s", status_name(m->status));
	else if (m->outcome != OUTCOME_EXITED && m->outcome != OUTCOME_FAILED)
		snprintf(out, size, "%s", outcome);
	else if (m->has_exit && m->exit_signal != 0) {
		words_signal(m->exit_signal, name, sizeof(name));
		snprintf(out, size, "%s", name);
	} else if (m->has_exit)
		snprintf(out, size, "exited %d", m->exit_code);
	else
		snprintf(out, size, "%s", outcome);
}

void
words_age(int64_t ms, char *out, size_t size)
{
	int64_t s = ms > 0 ? ms / 1000 : 0;

	if (s < 60)
		snprintf(out, size, "%" PRId64 "s", s);
	else if (s < 60 * 60)
		snprintf(out, size, "%" PRId64 "m", s / 60);
	else if (s < 48 * 60 * 60)
		snprintf(out, size, "%" PRId64 "h", s / (60 * 60));
	else
		snprintf(out, size, "%" PRId64 "d", s / (24 * 60 * 60));
}

void
words_time(int64_t ms, char out[WORDS_TIME_MAX])
{
	int64_t part = ((ms % 1000) + 1000) % 1000;
	time_t s = (time_t)((ms - part) / 1000);
	struct tm tm = { 0 };
	size_t len;

	gmtime_r(&s, &tm);
	len = strftime(out, WORDS_TIME_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + len, WORDS_TIME_MAX - len, ".%03dZ", (int)part);
}

void
words_bytes(uint64_t n, char *out, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;
	double value = (double)n;

	while (value >= 1024 && unit < sizeof(units) / sizeof(*units) - 1) {
		value /= 1024;
		unit++;
	}
	snprintf(out, size, unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s",
	    value, units[unit]);
}

void
words_quote(const char *word, struct buf *out)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "@%+=:,./-_";

	if (*word != '\0' && word[strspn(word, plain)] == '\0') {
		buf_puts(out, word);
		return;
	}
	buf_putc(out, '\'');
	for (const char *at; (at = strchr(word, '\'')) != NULL; word = at + 1) {
		buf_append(out, word, (size_t)(at - word));
		buf_puts(out, "'\\''");
	}
	buf_puts(out, word);
	buf_putc(out, '\'');
}

void
words_command(char *const *argv, struct buf *out)
{
	auto_free char *text = NULL;
	struct buf line;

	buf_init(&line, MANIFEST_MAX);
	for (; argv != NULL && *argv != NULL; argv++) {
		if (line.len > 0)
			buf_putc(&line, ' ');
		words_quote(*argv, &line);
	}
	text = buf_take(&line);
	words_put_safe(out, text);
}
