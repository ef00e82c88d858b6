#include "cmd/line/complete.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/line/partial_line.h"
#include "cmd/line/table.h"
#include "cmd/line/usage.h"
#include "home/permit.h"
#include "home/words.h"
#include "op/type.h"
#include "session/home.h"
#include "session/manifest.h"

#define ABOUT_MAX 60 /* bytes shown of a session's command */
#define ID_SHORTEST 4

/* These commands only read, or clean up, so they also accept ended sessions. */
#define FOR_ENDED (CMD_NEWEST | CMD_FINDS_DESTROYED)

struct completion {
	struct partial_line line;
	struct buf *out;
	struct home home;
	struct permit permit;
	char **seen; /* names offered so far; not sorted */
	size_t n_seen;
	bool ended; /* offer ended sessions too */
	int64_t now_ms;
};

/* The --name= part of the word belongs to the candidate. */
static void
offer(struct completion *c, const char *word, const char *about)
{
	const struct partial_line *t = &c->line;

	if (strncmp(word, t->word, strlen(t->word)) != 0)
		return;
	buf_append(c->out, t->before, (size_t)(t->word - t->before));
	buf_printf(c->out, "%s\t%s\n", word, about);
}

/* ---------------------------------------------------------------- sessions */

static bool
is_new(struct completion *c, const char *name)
{
	for (size_t i = 0; i < c->n_seen; i++)
		if (strcmp(c->seen[i], name) == 0)
			return false;
	c->seen = xrealloc(c->seen, c->n_seen + 1, sizeof(*c->seen));
	c->seen[c->n_seen++] = xstrdup(name);
	return true;
}

/* The longest prefix within this limit that is valid UTF-8. */
static size_t
cut(const char *s, size_t len)
{
	if (len <= ABOUT_MAX)
		return len;
	len = ABOUT_MAX;
	while (len > 0 && ((uint8_t)s[len] & 0xC0) == 0x80)
		len--;
	return len;
}

static void
describe(const struct completion *c, const struct manifest *m, struct buf *out)
{
	char status[WORDS_MAX], age[16];
	struct buf command;

	words_status(m, status, sizeof(status));
	words_age(c->now_ms - m->created_ms, age, sizeof(age));
	buf_init(&command, 8 * MANIFEST_MAX);
	words_command(m->command, &command);
	buf_printf(out, "%s, %s: ", status, age);
	buf_append(out, command.data,
	    cut((const char *)command.data, command.len));
	buf_finish(&command);
}

/* Offer names first; ids once the user has typed the start of one. */
static void
offer_session(struct completion *c, const struct manifest *m)
{
	const char *word = c->line.word;
	auto_free char *about = NULL;
	struct buf text;

	buf_init(&text, 1024);
	describe(c, m, &text);
	about = buf_take(&text);
	if (strncmp(m->name, word, strlen(word)) == 0 && is_new(c, m->name))
		offer(c, m->name, about);
	if (strlen(word) >= ID_SHORTEST)
		offer(c, m->id, about);
}

static int
on_session(void *arg, const char *id)
{
	struct completion *c = arg;
	auto_close int dirfd = home_session_dir(&c->home, id, NULL);
	struct manifest m;

	manifest_init(&m);
	if (dirfd >= 0 && manifest_read_now(dirfd, &m, NULL) == 0 &&
	    permit_sees(&c->permit, &m) &&
	    (status_is_active(m.status) ||
		(c->ended && m.status != STATUS_DESTROYED)))
		offer_session(c, &m);
	manifest_finish(&m);
	return 0;
}

static void
offer_sessions(struct completion *c)
{
	c->now_ms = clock_ms(CLOCK_REALTIME);
	if (home_open(&c->home, c->line.home, false, NULL) < 0)
		return;
	permit_init(&c->permit, &c->home);
	home_each(&c->home, on_session, c, NULL);
	permit_finish(&c->permit);
	home_close(&c->home);
	for (size_t i = 0; i < c->n_seen; i++)
		free(c->seen[i]);
	free(c->seen);
}

/* ------------------------------------------------------------ other values */

static void
offer_signals(struct completion *c)
{
	for (int signo = 1; signo < SIGRTMIN; signo++) {
		const char *name = sigabbrev_np(signo);

		if (name != NULL)
			offer(c, name, sigdescr_np(signo));
	}
}

static void
leave_dirs(struct completion *c)
{
	buf_puts(c->out, ":dirs\n");
}

static void
leave_files(struct completion *c)
{
	buf_puts(c->out, ":files\n");
}

static void
leave_command(struct completion *c)
{
	buf_printf(c->out, ":command %d\n", c->line.program);
}

/* The meaning of placeholders in a synopsis. */
static const struct {
	const char *place;
	void (*offer)(struct completion *c);
} places[] = {
	{ "SESSION", offer_sessions },
	{ "SIGNAL", offer_signals },
	{ "DIR", leave_dirs },
	{ "HOME", leave_dirs },
	{ "FILE", leave_files },
	{ "COMMAND", leave_command },
	{ "ARGUMENT", leave_command },
};

/* A known placeholder, a literal word, or nothing. */
static void
offer_place(struct completion *c, const char *place)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (strcmp(places[i].place, place) == 0) {
			places[i].offer(c);
			return;
		}
	if (!usage_is_place(place, strlen(place)))
		offer(c, place, "");
}

static void
offer_words(struct completion *c, const char *words)
{
	const char *at = words;
	char word[USAGE_WORD_MAX];

	while (type_next_word(words, &at, word, sizeof(word)))
		offer(c, word, c->line.wants->help);
}

/* "auto|lf|crlf" */
static void
offer_choices(struct completion *c, const char *choices)
{
	while (*choices != '\0') {
		size_t len = strcspn(choices, "|");
		char word[USAGE_WORD_MAX];

		snprintf(word, sizeof(word), "%.*s", (int)len, choices);
		offer(c, word, c->line.wants->help);
		choices += len + (choices[len] == '|');
	}
}

static void
offer_value(struct completion *c)
{
	const struct opt *o = c->line.wants;
	const struct type *t = o->choices != NULL ? type_find(o->choices) :
						    NULL;

	if (t != NULL)
		offer_words(c, t->body);
	else if (o->choices != NULL)
		offer_choices(c, o->choices);
	else if (usage_is_place(o->arg, strlen(o->arg)))
		offer_place(c, o->arg);
}

/* ------------------------------------------------- commands, options, rest */

static void
offer_options(struct completion *c, const struct opt *o)
{
	char word[64];

	for (; o != NULL && o->name != NULL; o++) {
		snprintf(word, sizeof(word), "--%s", o->name);
		offer(c, word, o->help);
	}
}

static void
offer_commands(struct completion *c)
{
	for (size_t i = 0; table_at(i) != NULL; i++)
		offer(c, table_at(i)->name, table_at(i)->summary);
	if (!c->line.asks_help)
		offer(c, "help", "explain a command, or list them all");
}

static void
offer_operand(struct completion *c)
{
	const struct cmd *cmd = c->line.cmd;
	char place[USAGE_WORD_MAX];

	for (unsigned k = 0; cmd != NULL &&
	     usage_operand(cmd->usage, c->line.operands, k, place);
	     k++)
		offer_place(c, place);
}

int
complete(struct out *out, const char *home, int n, char *const *words)
{
	struct completion c = { .out = &out->buf };
	struct partial_line *t = &c.line;

	out->json = false;
	partial_line_read(t, n, words);
	if (t->home == NULL)
		t->home = home;
	c.ended = t->cmd != NULL && (t->cmd->needs & FOR_ENDED);
	if (t->wants != NULL)
		offer_value(&c);
	else if (!t->no_options && t->word[0] == '-') {
		offer_options(&c, t->cmd != NULL ? t->cmd->options : NULL);
		offer_options(&c, common_options);
	} else if (!t->has_word || (t->asks_help && t->operands == 0))
		offer_commands(&c);
	else
		offer_operand(&c);
	return out_send(out);
}
