#include "cmd/attach/picking.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "client/paint.h"
#include "client/term.h"
#include "cmd/attach/picker.h"
#include "cmd/line/cmd.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/fault.h"
#include "home/sessions.h"
#include "home/words.h"
#include "vt/key_decode.h"
#include "vt/vt.h"

#define RENEW_MS 1000
#define TURN_MS 100    /* the terminal's size is checked this often */
#define ESCAPE_MS 30   /* an ESC without a successor is a key */
#define PREVIEW_MS 250 /* time for a host to send its screen */
#define PAGE_COLS 400  /* the painter clips longer lines */
#define DRAW_MAX (1u << 20)

struct picking {
	struct call *call;
	const char *own; /* the session around this terminal, or NULL */
	struct term term;
	struct picker picker;
	struct painter painter;
	struct key_decoder decoder;
	enum picker_result result;
	unsigned cols, rows;
	struct vt *page; /* the contents of the terminal */
	char *preview;
	char previewed[ID_SIZE];
	int64_t renew_ms;
};

/* ---------------------------------------------------------- the sessions */

static void
describe(const struct manifest *m, struct picker_row *out)
{
	int64_t age = clock_ms(CLOCK_REALTIME) - m->created_ms;
	char since[16];
	struct buf b;

	words_age(age, since, sizeof(since));
	buf_init(&b, 1u << 20);
	buf_printf(&b, "%-4s ", since);
	if (m->status != STATUS_RUNNING)
		buf_printf(&b, "%s ", status_name(m->status));
	words_command(m->command, &b);
	buf_putc(&b, '\0');
	snprintf(out->id, sizeof(out->id), "%s", m->id);
	snprintf(out->name, sizeof(out->name), "%s",
	    m->name[0] != '\0' ? m->name : m->id);
	snprintf(out->about, sizeof(out->about), "%s",
	    b.full ? "" : (const char *)b.data);
	buf_finish(&b);
}

static int
read_running(struct call *call, struct sessions *s, struct fault *f)
{
	const struct sessions_query running = { .quiet = true };

	return sessions_read(s, &call->target->home, &running,
	    &call->out->report, f);
}

/* The session around this terminal cannot be picked. */
static bool
is_choice(const struct manifest *m, const char *own)
{
	return own == NULL || strcmp(m->id, own) != 0;
}

static int
renew(struct picking *p, struct error *err)
{
	struct picker_row *rows;
	struct sessions s;
	struct fault f;
	size_t n = 0;
	int rc = read_running(p->call, &s, &f);

	rows = xcalloc(s.n + 1, sizeof(*rows));
	for (size_t i = 0; i < s.n; i++)
		if (is_choice(&s.items[i], p->own))
			describe(&s.items[i], &rows[n++]);
	sessions_finish(&s);
	if (rc < 0) {
		free(rows);
		return error_set(err, EIO, "%s", f.msg);
	}
	picker_renew(&p->picker, rows, n);
	p->renew_ms = clock_ms(CLOCK_MONOTONIC) + RENEW_MS;
	return 0;
}

/* A session's screen as text; NULL if its host does not answer in time. */
static char *
fetch_screen(const struct home *h, const char *id)
{
	auto_free char *answer = NULL;
	auto_json json_t *tree = NULL;
	char code[32], *text = NULL;
	struct handle t;

	handle_init(&t, NULL);
	t.dirfd = home_session_dir(h, id, NULL);
	if (t.dirfd >= 0 && handle_reach_within(&t, PREVIEW_MS, NULL) == 0 &&
	    conn_call(&t.conn, "session.snapshot", "{\"format\":\"text\"}",
		&answer, code, NULL) == 0)
		tree = json_tree_object(answer, strlen(answer), NULL);
	if (json_is_string(json_object_get(tree, "data")))
		text = xstrdup(
		    json_string_value(json_object_get(tree, "data")));
	handle_finish(&t);
	return text;
}

static void
look(struct picking *p)
{
	const struct picker_row *r = picker_selected(&p->picker);
	const char *id = r != NULL ? r->id : "";

	free(p->preview);
	p->preview = NULL;
	if (r != NULL) {
		p->preview = fetch_screen(&p->call->target->home, id);
		if (p->preview == NULL)
			p->preview = xstrdup("(the host does not answer)");
	}
	memcpy(p->previewed, id, strlen(id) + 1);
}

static bool
is_stale(const struct picking *p)
{
	const struct picker_row *r = picker_selected(&p->picker);

	return strcmp(p->previewed, r != NULL ? r->id : "") != 0;
}

/* ---------------------------------------------------------- the terminal */

static int
fit(struct picking *p, struct error *err)
{
	unsigned cols, rows;

	term_size(&p->term, &cols, &rows);
	if (p->page != NULL && cols == p->cols && rows == p->rows)
		return 0;
	p->cols = cols;
	p->rows = rows;
	vt_destroy(p->page);
	p->page = vt_create(&(struct vt_config){ .cols = (uint16_t)(cols >
							     PAGE_COLS ?
							 cols :
							 PAGE_COLS),
				.rows = (uint16_t)rows },
	    err);
	painter_resize(&p->painter, cols, rows);
	return p->page != NULL ? 0 : -EINVAL;
}

static int
draw(struct picking *p)
{
	const struct scene scene = { .vt = p->page };
	struct buf b;
	int rc;

	buf_init(&b, DRAW_MAX);
	picker_draw(&p->picker, p->cols, p->rows, p->preview, &b);
	vt_feed(p->page, b.data, b.len);
	buf_clear(&b);
	(void)painter_draw(&p->painter, &scene, &b);
	rc = term_write_all(&p->term, b.data, b.len, RENEW_MS);
	buf_finish(&b);
	return rc;
}

static void
on_key(void *arg, const struct key *k)
{
	struct picking *p = arg;

	if (p->result == PICKER_GOES_ON)
		p->result = picker_key(&p->picker, k);
}

static const struct key_decoder_ops decoder_ops = { .key = on_key };

/* Wait for keys or the next turn. */
static void
listen(struct picking *p)
{
	bool held = key_decoder_pending(&p->decoder) != KEY_PENDING_NOTHING;
	struct pollfd fd = { .fd = p->term.fd, .events = POLLIN };
	char bytes[1024];
	ssize_t n;

	if (poll(&fd, 1, held ? ESCAPE_MS : TURN_MS) <= 0) {
		key_decoder_flush(&p->decoder);
		return;
	}
	n = read(p->term.fd, bytes, sizeof(bytes));
	if (n > 0)
		key_decoder_feed(&p->decoder, bytes, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		p->result = PICKER_LEFT;
}

static int
pick(struct picking *p, struct error *err)
{
	int rc = term_open(&p->term, false, err);

	if (rc == 0)
		rc = term_take(&p->term, err);
	while (rc == 0 && p->result == PICKER_GOES_ON) {
		bool due = clock_ms(CLOCK_MONOTONIC) >= p->renew_ms;

		if (due)
			rc = renew(p, err);
		if (rc == 0 && (due || is_stale(p)))
			look(p);
		if (rc == 0)
			rc = fit(p, err);
		if (rc == 0 && draw(p) < 0)
			p->result = PICKER_LEFT;
		if (rc == 0 && p->result == PICKER_GOES_ON)
			listen(p);
	}
	term_close(&p->term);
	return rc;
}

bool
picking_has_other(struct call *call, const char *id)
{
	const char *own = getenv("TEND_SESSION");
	struct sessions s;
	struct fault f;
	bool found = read_running(call, &s, &f) < 0;

	for (size_t i = 0; i < s.n && !found; i++)
		found = is_choice(&s.items[i], own) &&
		    strcmp(s.items[i].id, id) != 0;
	sessions_finish(&s);
	return found;
}

bool
picking_can(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

int
picking_run(struct call *call, char id[ID_SIZE])
{
	struct picking p = { .call = call, .own = getenv("TEND_SESSION") };
	const struct picker_row *r;
	struct error err = { 0 };
	int status = 0, rc;

	picker_init(&p.picker);
	painter_init(&p.painter);
	key_decoder_init(&p.decoder, &decoder_ops, &p);
	rc = renew(&p, &err);
	if (rc == 0 && p.picker.n > 1)
		rc = pick(&p, &err);
	r = p.result != PICKER_LEFT ? picker_selected(&p.picker) : NULL;
	if (rc < 0)
		status = out_fail(call->out, FAIL_STORAGE, "%s", err.msg);
	else if (p.picker.n == 0)
		status = out_fail(call->out, FAIL_NOT_FOUND,
		    "no running session in %s; 'tend run COMMAND' starts one, "
		    "'tend ls -a' lists ended sessions",
		    call->target->home.path);
	snprintf(id, ID_SIZE, "%s", r != NULL ? r->id : "");
	free(p.preview);
	vt_destroy(p.page);
	painter_finish(&p.painter);
	picker_finish(&p.picker);
	return status;
}
