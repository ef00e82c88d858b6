#include "host/input/secrecy.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "host/core/session.h"
#include "op/pattern.h"
#include "op/secret.h"
#include "vt/vt.h"

#define FILE_MAX (64u << 10)
#define ROWS_MAX 4 /* that a prompt may be broken into */
#define TYPED_MAX 512
#define PROMPT_MAX 64 /* enough bytes to recognise its end */
#define TEXT_MAX ((size_t)ROWS_MAX * VT_COLS_MAX * VT_TEXT_MAX)

struct secrecy {
	const struct session *session;
	struct pattern *patterns[SECRECY_PATTERNS];
	size_t n_patterns;

	bool on;             /* from a key at a prompt until Enter */
	struct buf prompt;   /* that prompt */
	bool fresh;          /* nothing was typed since Enter */
	bool certain;        /* a prompt on the screen counts as one */
	struct buf typed;    /* since Enter; the last bytes */
	uint64_t generation; /* of the screen at the last key */
	struct buf before;   /* the cursor's row at that time */
};

/* -------------------------------------------------------------- the screen */

static void
put_cells(const struct vt_row *row, unsigned to, struct buf *out)
{
	/* Short, because every key waits for this. */
	char text[64 + VT_TEXT_MAX];
	size_t n = 0;

	for (unsigned x = 0; x < to; x++) {
		uint32_t c = x < row->used ? row->cells[x].ch : 0;

		if (c > 0 && c < 0x80)
			text[n++] = (char)c;
		else if (c != 0)
			n += vt_cell_text(row, x, text + n);
		else if (x >= row->used ||
		    cell_kind(&row->cells[x]) != CELL_TAIL)
			text[n++] = ' ';
		if (n < 64 && x + 1 < to)
			continue;
		buf_append(out, text, n);
		n = 0;
	}
}

/*
 * A program that draws its own screen (tmux) breaks lines without reporting
 * it.
 */
static bool
goes_on(const struct vt *vt, unsigned y)
{
	struct vt_row row, above;

	if (y == 0)
		return false;
	vt_screen_row(vt, y, &row);
	vt_screen_row(vt, y - 1, &above);
	return (row.flags & ROW_CONTINUES) || above.used == vt_cols(vt);
}

/* The cursor's line, up to the cursor. */
static void
line_before_cursor(const struct vt *vt, struct buf *out)
{
	struct vt_cursor at;
	struct vt_row row;
	unsigned y;

	vt_cursor(vt, &at);
	y = at.row;
	while (at.row - y + 1 < ROWS_MAX && goes_on(vt, y))
		y--;
	for (; y < at.row; y++) {
		vt_screen_row(vt, y, &row);
		put_cells(&row, vt_cols(vt), out);
	}
	vt_screen_row(vt, y, &row);
	put_cells(&row, at.col + at.pending_wrap, out);
}

static void
row_of_cursor(const struct vt *vt, struct buf *out)
{
	struct vt_cursor at;
	struct vt_row row;

	vt_cursor(vt, &at);
	vt_screen_row(vt, at.row, &row);
	put_cells(&row, row.used, out);
}

static bool
row_has_changed(const struct secrecy *s, const struct vt *vt)
{
	struct vt_cursor at;

	vt_cursor(vt, &at);
	return vt_row_generation(vt, at.row) > s->generation;
}

/* ------------------------------------------------------------- the prompt */

static const char *
text_of(const struct buf *b)
{
	return b->len > 0 ? (const char *)b->data : "";
}

/* The length of the prompt at the end of the line; 0: none. */
static size_t
find_prompt(const struct secrecy *s, const char *line, size_t len)
{
	size_t n = secret_prompt(line, len), from, to;

	if (n > 0)
		return n;
	n = secret_trim(line, len);
	for (size_t i = 0; i < s->n_patterns; i++)
		if (pattern_find(s->patterns[i], line, n, &from, &to) == 1)
			return n;
	return 0;
}

static bool
contains(const struct buf *in, const char *text, size_t len)
{
	return len > 0 && in->len >= len &&
	    memmem(in->data, in->len, text, len) != NULL;
}

/* The beginning of a prompt's last word. */
static size_t
last_word(const char *prompt, size_t len)
{
	size_t at = len;

	while (at > 0 && strchr(" :", prompt[at - 1]) != NULL)
		at--;
	while (at > 0 && prompt[at - 1] != ' ')
		at--;
	return at;
}

/*
 * True if the prompt came after the last key, and not from typed keys.  The
 * screen may be behind the keys, so all input since Enter counts.
 */
static bool
is_new(const struct secrecy *s, const char *prompt, size_t len)
{
	size_t keep = len < PROMPT_MAX ? len : PROMPT_MAX;
	size_t word = last_word(prompt, len);

	return s->fresh ||
	    (!contains(&s->typed, prompt + word, len - word) &&
		!contains(&s->before, prompt + len - keep, keep));
}

/* A cursor on a character belongs to an editor. */
static bool
cursor_is_free(const struct vt *vt)
{
	struct vt_cursor at;
	struct vt_row row;
	uint32_t c;

	vt_cursor(vt, &at);
	if (at.pending_wrap)
		return true;
	vt_screen_row(vt, at.row, &row);
	c = at.col < row.used ? row.cells[at.col].ch : 0;
	return c == 0 || c == ' ' || c == '_' || (c >= 0x2500 && c <= 0x259F);
}

/* The line and the length of its prompt, if it asks for a secret now. */
static size_t
look(const struct secrecy *s, const struct vt *vt, struct buf *line)
{
	size_t n;

	if (!cursor_is_free(vt))
		return 0;
	line_before_cursor(vt, line);
	n = find_prompt(s, text_of(line), line->len);
	if (n == 0 || s->certain)
		return n;
	return row_has_changed(s, vt) && is_new(s, text_of(line), n) ? n : 0;
}

/* The cursor is where the prompt left it, or behind the input there. */
static bool
is_still_there(const struct secrecy *s, const struct vt *vt)
{
	struct buf line;
	bool there;

	buf_init(&line, TEXT_MAX);
	line_before_cursor(vt, &line);
	there = contains(&line, text_of(&s->prompt), s->prompt.len);
	buf_finish(&line);
	return there;
}

bool
secrecy_asked(const struct secrecy *s)
{
	const struct vt *vt = s->session->display.vt;
	struct buf line;
	bool asked;

	if (vt == NULL)
		return s->on;
	if (s->on && is_still_there(s, vt))
		return true;
	buf_init(&line, TEXT_MAX);
	asked = look(s, vt, &line) > 0;
	buf_finish(&line);
	return asked;
}

static void
begin(struct secrecy *s, const struct vt *vt)
{
	struct buf line;
	size_t n, keep;

	buf_init(&line, TEXT_MAX);
	n = look(s, vt, &line);
	s->on = n > 0;
	keep = n < PROMPT_MAX ? n : PROMPT_MAX;
	buf_clear(&s->prompt);
	if (n > 0)
		buf_append(&s->prompt, text_of(&line) + n - keep, keep);
	buf_finish(&line);
}

/* -------------------------------------------------------------- the keys */

/* Enter, and the keys that leave a prompt: C-c, C-d, C-z, C-\. */
static bool
ends_line(uint8_t c)
{
	return c != '\0' && strchr("\r\n\003\004\032\034", c) != NULL;
}

static bool
leaves(const uint8_t *p, size_t len)
{
	if (len == 1 && p[0] == '\033')
		return true;
	for (size_t i = 0; i < len; i++)
		if (ends_line(p[i]))
			return true;
	return false;
}

/* Remember the input since Enter, or its end. */
static void
remember(struct secrecy *s, const uint8_t *p, size_t len)
{
	if (s->fresh || len > TYPED_MAX - s->typed.len)
		buf_clear(&s->typed);
	if (s->fresh)
		return;
	if (len > TYPED_MAX) {
		p += len - TYPED_MAX;
		len = TYPED_MAX;
	}
	buf_append(&s->typed, p, len);
}

/* Keep what is needed to judge the next piece. */
static void
note(struct secrecy *s, const uint8_t *p, size_t len, bool known)
{
	bool secret = s->on;

	s->fresh = ends_line(p[len - 1]);
	if (leaves(p, len))
		s->on = false;
	/* Until the screen changes, it is the same prompt. */
	s->certain = secret && !s->on;
	remember(s, p, secret || known ? 0 : len);
	buf_clear(&s->before);
	if (s->session->display.vt == NULL)
		return;
	s->generation = vt_generation(s->session->display.vt);
	row_of_cursor(s->session->display.vt, &s->before);
}

bool
secrecy_typed(struct secrecy *s, const uint8_t *p, size_t len, bool known)
{
	const struct vt *vt = s->session->display.vt;
	bool secret;

	if (vt != NULL && !(s->on && is_still_there(s, vt)))
		begin(s, vt);
	secret = s->on;
	note(s, p, len, known);
	return secret;
}

/* ------------------------------------------------------------ its patterns */

static void
add_pattern(struct secrecy *s, const char *line, size_t len)
{
	struct log *log = (struct log *)&s->session->log;
	struct pattern *p;
	struct error err;

	while (len > 0 && (line[len - 1] == '\r' || line[len - 1] == ' '))
		len--;
	if (len == 0 || line[0] == '#' || s->n_patterns == SECRECY_PATTERNS)
		return;
	p = pattern_create(line, len, &err);
	if (p == NULL) {
		log_write(log, LOG_WARN, "invalid pattern in " SECRECY_FILE,
		    log_str("error", err.msg));
		return;
	}
	s->patterns[s->n_patterns++] = p;
}

/* The home is above the session's directory. */
static void
read_patterns(struct secrecy *s)
{
	auto_close int fd = openat(s->session->dirfd, "../../" SECRECY_FILE,
	    O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	auto_free char *text = NULL;
	ssize_t len;

	if (fd < 0)
		return;
	text = xmalloc(FILE_MAX);
	len = read(fd, text, FILE_MAX);
	for (ssize_t at = 0, end; at < len; at = end + 1) {
		for (end = at; end < len && text[end] != '\n'; end++)
			continue;
		add_pattern(s, text + at, (size_t)(end - at));
	}
}

struct secrecy *
secrecy_create(const struct session *session)
{
	struct secrecy *s = xcalloc(1, sizeof(*s));

	s->session = session;
	s->fresh = s->certain = true;
	buf_init(&s->prompt, PROMPT_MAX);
	buf_init(&s->typed, TYPED_MAX);
	buf_init(&s->before, TEXT_MAX);
	read_patterns(s);
	return s;
}

void
secrecy_destroy(struct secrecy *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n_patterns; i++)
		pattern_destroy(s->patterns[i]);
	buf_finish(&s->prompt);
	buf_finish(&s->typed);
	buf_finish(&s->before);
	free(s);
}
