#include "corpus.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "rng.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The state of one generator; the bytes go to `out`. */
struct maker {
	struct buf *out;
	struct rng rng;
	unsigned cols, rows;
	unsigned tick; /* frames or lines so far */
};

static const char *const words[] = { "request", "finished", "in", "the",
	"worker", "queue", "cache", "miss", "for", "user", "session", "opened",
	"closed", "by", "peer", "retry", "after", "timeout", "while", "reading",
	"from", "upstream", "commit", "accepted", "index", "rebuilt", "with",
	"entries", "and", "no", "errors", "checkpoint", "written", "to", "disk",
	"connection", "reset", "token", "expired", "scheduling", "job", "build",
	"passed", "linking", "target" };

static const char *const paths[] = { "src/server/handler.c", "src/net/http.c",
	"lib/store/index.c", "src/queue/worker.c", "cmd/main.c",
	"src/auth/token.c", "lib/util/retry.c", "src/render/page.c" };

static const char *const levels[] = { "DEBUG", "INFO ", "INFO ", "INFO ",
	"WARN ", "ERROR" };

static const char *
pick(struct maker *m, const char *const *from, size_t n)
{
	return from[rng_below(&m->rng, (unsigned)n)];
}

#define PICK(m, from) pick(m, from, COUNT(from))

static bool
chance(struct maker *m, unsigned percent)
{
	return rng_below(&m->rng, 100) < percent;
}

static void
put_repeated(struct maker *m, const char *s, unsigned n)
{
	while (n-- > 0)
		buf_puts(m->out, s);
}

/* Words until about `columns` are filled; returns the number of columns. */
static unsigned
put_words(struct maker *m, unsigned columns)
{
	size_t start = m->out->len;

	for (;;) {
		buf_puts(m->out, PICK(m, words));
		if (m->out->len - start >= columns)
			break;
		buf_putc(m->out, ' ');
	}
	m->out->len = start + columns;
	return columns;
}

static void
plain_line(struct maker *m)
{
	size_t start = m->out->len;
	size_t length = rng_between(&m->rng, 20, 160);
	unsigned ms = m->tick * 37;

	buf_printf(m->out, "2026-03-14T%02u:%02u:%02u.%03uZ %s ",
	    ms / 3600000 % 24, ms / 60000 % 60, ms / 1000 % 60, ms % 1000,
	    PICK(m, levels));
	if (length > 60)
		buf_printf(m->out, "%s:%u ", PICK(m, paths), ms % 2400);
	while (m->out->len - start < length) {
		buf_puts(m->out, PICK(m, words));
		if (chance(m, 15))
			buf_printf(m->out, "=%u", rng_below(&m->rng, 100000));
		buf_putc(m->out, ' ');
	}
	m->out->len = start + length;
	buf_puts(m->out, "\r\n");
}

/*
 * One random number gives all parts of a sequence: the compiler chooses the
 * order in which arguments are evaluated, and the corpus must not depend on
 * it.
 */
static void
put_sgr(struct maker *m)
{
	uint64_t v = rng_next(&m->rng);
	unsigned r = v & 255, g = v >> 8 & 255, b = v >> 16 & 255;
	unsigned index = v >> 24 & 255;

	switch (v >> 32 & 7) {
	case 0:
	case 1:
	case 2:
		buf_printf(m->out, "\033[38;2;%u;%u;%um", r, g, b);
		break;
	case 3:
		buf_printf(m->out, "\033[48;2;%u;%u;%um", r, g, b);
		break;
	case 4:
		buf_printf(m->out, "\033[1;38;5;%um", index);
		break;
	case 5:
		buf_printf(m->out, "\033[4;3%um", 1 + index % 7);
		break;
	case 6:
		buf_printf(m->out, "\033[38;2;%u;%u;%u;48;5;%um", r, g, b,
		    index);
		break;
	default:
		buf_puts(m->out, "\033[0m");
		break;
	}
}

static void
sgr_line(struct maker *m)
{
	unsigned n = rng_between(&m->rng, 4, 16);

	while (n-- > 0) {
		put_sgr(m);
		buf_puts(m->out, PICK(m, words));
		buf_putc(m->out, ' ');
	}
	buf_puts(m->out, "\033[0m\r\n");
}

static void
put_cp(struct maker *m, uint32_t cp)
{
	char s[4];

	buf_append(m->out, s, utf8_encode(s, cp));
}

static void
put_range(struct maker *m, uint32_t lo, uint32_t hi, unsigned n)
{
	while (n-- > 0)
		put_cp(m, rng_between(&m->rng, lo, hi));
}

/* Family, flag, skin tone, keycap, heart with a selector; and single ones. */
static const char *const emoji[] = {
	"\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466",
	"\U0001F1E9\U0001F1EA",
	"\U0001F1EF\U0001F1F5",
	"\U0001F44D\U0001F3FD",
	"\U0001F9D1\U0001F3FF\u200D\U0001F4BB",
	"1\uFE0F\u20E3",
	"\u2764\uFE0F",
	"\U0001F680",
	"\U0001F389",
	"\u2705",
	"\U0001F600",
	"\U0001F525",
};

static const char *const accented[] = { "caf\u00E9", "na\u00EFve",
	"stra\u00DFe", "\u00FCber", "se\u00F1or",
	"\u017Elu\u0165ou\u010Dk\u00FD", "cre\u0300me", "bru\u0302le\u0301e",
	"A\u030Angstro\u0308m", "Vie\u0323\u0302t Nam", "ko\u0301smos" };

static void
put_utf8_word(struct maker *m)
{
	switch (rng_below(&m->rng, 10)) {
	case 0:
	case 1:
		put_range(m, 0x4E00, 0x9FA5, rng_between(&m->rng, 2, 6));
		break;
	case 2:
		put_range(m, 0x3041, 0x3093, rng_between(&m->rng, 2, 6));
		break;
	case 3:
		put_range(m, 0xAC00, 0xD7A3, rng_between(&m->rng, 2, 4));
		break;
	case 4:
		put_range(m, 0x0430, 0x044F, rng_between(&m->rng, 3, 8));
		break;
	case 5:
		buf_puts(m->out, PICK(m, emoji));
		break;
	case 6:
	case 7:
		buf_puts(m->out, PICK(m, accented));
		break;
	default:
		buf_puts(m->out, PICK(m, words));
		break;
	}
	buf_putc(m->out, ' ');
}

static void
utf8_line(struct maker *m)
{
	unsigned n = rng_between(&m->rng, 3, 14);

	while (n-- > 0)
		put_utf8_word(m);
	buf_puts(m->out, "\r\n");
}

static void
put_at(struct maker *m, unsigned row, unsigned col)
{
	buf_printf(m->out, "\033[%u;%uH", row, col);
}

/* A load meter: name, bar in three colours, percent. */
static void
put_meter(struct maker *m, unsigned row, unsigned number)
{
	unsigned width = m->cols - 14;
	unsigned full = rng_below(&m->rng, width);

	put_at(m, row, 1);
	buf_printf(m->out, "\033[36m%3u\033[39;1m[\033[0;32m", number);
	put_repeated(m, "|", full / 2);
	buf_puts(m->out, "\033[31m");
	put_repeated(m, "|", full - full / 2);
	buf_puts(m->out, "\033[1;30m");
	put_repeated(m, " ", width - full);
	buf_printf(m->out, "%5.1f%%\033[0;1m]\033[0m\033[K",
	    100.0 * full / width);
}

/* Two loads, as a process viewer shows them. */
static void
put_loads(struct maker *m)
{
	uint64_t v = rng_next(&m->rng);

	buf_printf(m->out, "\033[32m%5.1f\033[39m %4.1f ",
	    (double)(v % 1000) / 10, (double)(v / 1000 % 300) / 10);
}

static void
put_process(struct maker *m, unsigned row, bool chosen)
{
	uint64_t v = rng_next(&m->rng);

	put_at(m, row, 1);
	if (chosen)
		buf_puts(m->out, "\033[30;46m");
	buf_printf(m->out,
	    "%7u \033[1m%-9s\033[22m%3u %5uM\033[36m%5u\033[39m S ",
	    (unsigned)(v % 99999), "user", 20, (unsigned)(v >> 20 & 4095),
	    (unsigned)(v >> 32 & 1023));
	put_loads(m);
	put_words(m, rng_between(&m->rng, 8, m->cols - 50));
	buf_puts(m->out, chosen ? "\033[K\033[0m" : "\033[K");
}

static const char *const fkeys[] = { "Help", "Setup", "Search", "Filter",
	"Tree", "SortBy", "Nice -", "Nice +", "Kill", "Quit" };

static void
put_footer(struct maker *m)
{
	put_at(m, m->rows, 1);
	for (unsigned i = 0; i < COUNT(fkeys); i++) {
		if (i * 8 + 8 > m->cols)
			break;
		buf_printf(m->out, "\033[0mF%u\033[30;46m%-6.5s", i + 1,
		    fkeys[i]);
	}
	buf_puts(m->out, "\033[K\033[0m");
}

/* A process viewer's whole screen. */
static void
viewer_frame(struct maker *m)
{
	unsigned meters = m->rows / 6;
	unsigned chosen = rng_between(&m->rng, meters + 3, m->rows - 1);

	buf_puts(m->out, "\033[?2026h\033[?25l");
	for (unsigned i = 1; i <= meters; i++)
		put_meter(m, i, i - 1);
	put_at(m, meters + 2, 1);
	buf_puts(m->out,
	    "\033[30;42m    PID USER     PRI  VIRT   RES S  CPU%"
	    " MEM%  Command\033[K\033[0m");
	for (unsigned row = meters + 3; row < m->rows; row++)
		put_process(m, row, row == chosen);
	put_footer(m);
	buf_puts(m->out, "\033[?25h\033[?2026l");
}

/* Only the loads that changed, as a curses program sends them. */
static void
viewer_changes(struct maker *m)
{
	unsigned first = m->rows / 6 + 3;

	buf_puts(m->out, "\033[?25l");
	for (unsigned row = first; row < m->rows; row++) {
		if (chance(m, 30))
			continue;
		put_at(m, row, 37);
		put_loads(m);
		put_words(m, rng_between(&m->rng, 8, m->cols - 50));
		buf_puts(m->out, "\033[K");
	}
	put_meter(m, rng_between(&m->rng, 1, m->rows / 6), 0);
	put_at(m, m->rows, m->cols);
	buf_puts(m->out, "\033[?25h");
}

static const char *const spinner[] = { "\u280B", "\u2819", "\u2839", "\u2838",
	"\u283C", "\u2834", "\u2826", "\u2827", "\u2807", "\u280F" };

static void
put_rule(struct maker *m, const char *left, const char *right)
{
	buf_puts(m->out, left);
	put_repeated(m, "\u2500", m->cols - 2);
	buf_puts(m->out, right);
}

/* A line of the agent's transcript: bullet, words, now and then a diff. */
static void
put_transcript(struct maker *m)
{
	unsigned width = rng_between(&m->rng, 20, m->cols - 12);

	switch (rng_below(&m->rng, 4)) {
	case 0:
		buf_puts(m->out, "\033[38;2;87;171;90m+\033[39m ");
		break;
	case 1:
		buf_puts(m->out, "\033[38;2;229;83;75m-\033[39m ");
		break;
	case 2:
		buf_puts(m->out, "\033[1m\u25CF\033[22m ");
		break;
	default:
		buf_puts(m->out, "  ");
		break;
	}
	put_words(m, width);
	buf_puts(m->out, "\033[K");
}

/* The agent's box at the bottom: border, prompt, border, status line. */
static void
put_prompt_box(struct maker *m)
{
	buf_printf(m->out,
	    "\r\033[38;2;215;119;87m%s Thinking\u2026\033[39m "
	    "\033[2m(%us \u00B7 \u2193 %u tokens \u00B7 esc)\033[22m\033[K\r\n",
	    spinner[m->tick % COUNT(spinner)], m->tick / 10,
	    rng_below(&m->rng, 9000));
	buf_puts(m->out, "\033[38;5;244m");
	put_rule(m, "\u256D", "\u256E");
	buf_puts(m->out, "\r\n\u2502\033[39m > ");
	buf_printf(m->out, "\033[7m \033[27m\033[%uG\033[38;5;244m\u2502\r\n",
	    m->cols);
	put_rule(m, "\u2570", "\u256F");
	buf_puts(m->out, "\033[39m\r\n\033[2m  ? for shortcuts\033[22m\033[K");
}

/* Lines go up into the history, and the box is drawn again below them. */
static void
agent_frame(struct maker *m)
{
	unsigned lines = chance(m, 40) ? rng_between(&m->rng, 1, 4) : 0;

	buf_puts(m->out, "\033[?2026h\033[?25l\r\033[4A\033[J");
	while (lines-- > 0) {
		put_transcript(m);
		buf_puts(m->out, "\r\n");
	}
	put_prompt_box(m);
	buf_puts(m->out, "\033[?25h\033[?2026l");
}

/* A pager's or tail's step: one line in at the bottom of a region. */
static void
region_frame(struct maker *m)
{
	buf_printf(m->out, "\0337\033[2;%ur", m->rows - 4);
	put_at(m, m->rows - 4, 1);
	buf_puts(m->out, "\r\n");
	put_transcript(m);
	buf_puts(m->out, "\033[r\0338");
}

/*
 * The programs take turns: the viewer has the alternate screen for some
 * frames, then the agent the primary one.
 */
static void
tui_frame(struct maker *m)
{
	unsigned turn = m->tick % 64;

	if (turn == 0)
		buf_puts(m->out, "\033[?1049h\033[2J");
	if (turn == 32) {
		buf_puts(m->out, "\033[?1049l");
		put_at(m, m->rows, 1);
	}
	if (turn < 32 && turn % 4 == 0)
		viewer_frame(m);
	else if (turn < 32)
		viewer_changes(m);
	else if (turn % 8 == 7)
		region_frame(m);
	else
		agent_frame(m);
}

static const struct {
	const char *name;
	void (*make)(struct maker *m);
} kinds[CORPUS_KINDS] = {
	[CORPUS_PLAIN] = { "plain", plain_line },
	[CORPUS_SGR] = { "sgr", sgr_line },
	[CORPUS_UTF8] = { "utf8", utf8_line },
	[CORPUS_TUI] = { "tui", tui_frame },
};

const char *
corpus_name(enum corpus_kind kind)
{
	return kinds[kind].name;
}

void
corpus_make(struct corpus *c, enum corpus_kind kind, unsigned cols,
    unsigned rows, uint64_t seed, size_t len, size_t cut_min)
{
	struct buf out;
	struct maker m = { .out = &out,
		.rng = { seed },
		.cols = cols,
		.rows = rows };

	buf_init(&out, len + (1 << 20));
	c->cut = 0;
	while (out.len < len) {
		kinds[kind].make(&m);
		m.tick++;
		if (c->cut == 0 && out.len >= cut_min)
			c->cut = out.len;
	}
	c->len = out.len;
	c->data = buf_take(&out);
}

void
corpus_finish(struct corpus *c)
{
	free(c->data);
	c->data = NULL;
}
