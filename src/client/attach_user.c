#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "client/attach_state.h"
#include "client/book.h"
#include "vt/vt.h"
#include "wire/frame.h"

#define BOOK_MS 1000   /* for the host to give the history */
#define NOTICE_MS 3000 /* how long a line of ours stays */
#define HELP_MS 10000  /* help, unless the user does something */

void
attach_notice(struct attach *a, const char *text)
{
	view_notice(&a->view, text);
	a->greeting = false;
	a->notice_ms = text == NULL ? 0 : clock_ms(CLOCK_MONOTONIC) + NOTICE_MS;
}

/* The place in the book, and how to go on from it. */
static void
show_page(struct attach *a)
{
	const struct book *b = &a->book;
	char place[64], text[160];

	if (b->old)
		snprintf(place, sizeof(place), "byte %" PRIu64 " of %" PRIu64,
		    b->offset, b->end);
	else
		snprintf(place, sizeof(place), "%u of %u rows back", b->back,
		    b->rows);
	snprintf(text, sizeof(text),
	    " history: %s \u00b7 arrows PgUp PgDn Home End \u00b7 q leaves",
	    place);
	a->view.book = b->page;
	a->view.back = b->back;
	a->view.redraw = true;
	view_notice(&a->view, text);
	a->notice_ms = 0;
}

static void
close_book(struct attach *a)
{
	book_close(&a->book);
	a->view.book = NULL;
	a->keys.grabbed = false;
	a->view.redraw = true;
	attach_notice(a, NULL);
}

static void
open_book(struct attach *a)
{
	if (a->book.page != NULL)
		return;
	if (book_open(&a->book, a->dirfd, BOOK_MS, NULL) < 0) {
		attach_notice(a, " the session's host does not answer");
		return;
	}
	a->keys.grabbed = true;
	book_leaf(&a->book, 1);
	show_page(a);
}

/* Whether the key is one for leafing. */
static bool
leaf(struct book *b, uint32_t key, int64_t page)
{
	switch (key) {
	case KEY_UP:
	case 'k':
		book_leaf(b, 1);
		return true;
	case KEY_DOWN:
	case 'j':
		book_leaf(b, -1);
		return true;
	case KEY_PAGE_UP:
	case 'b':
		book_leaf(b, page);
		return true;
	case KEY_PAGE_DOWN:
	case ' ':
		book_leaf(b, -page);
		return true;
	case KEY_HOME:
		book_first(b);
		return true;
	case KEY_END:
		book_last(b);
		return true;
	}
	return false;
}

static void
on_book_key(void *arg, const struct key *k)
{
	struct attach *a = arg;
	int64_t page = a->view.rows > 1 ? a->view.rows - 1 : 1;

	if (leaf(&a->book, k->code, page))
		show_page(a);
	else if (k->code == 'q' || k->code == KEY_ESCAPE ||
	    k->code == KEY_ENTER)
		close_book(a);
}

void
attach_detach(struct attach *a)
{
	attach_finish_detached(a, NULL);
}

void
attach_tell_size(struct attach *a)
{
	if (a->options->readonly || !a->connected)
		return;
	(void)frame_put_resize(&a->send, a->view.cols, a->view.rows);
	a->sized = true;
}

void
attach_look_at_terminal(struct attach *a)
{
	unsigned cols, rows;

	term_size(&a->term, &cols, &rows);
	view_resize(&a->view, cols, rows);
}

/* Stop as a shell expects it; whoever continues us finds all drawn anew. */
void
attach_suspend(struct attach *a)
{
	(void)term_write_all(&a->term, a->view.out.data, a->view.out.len, 0);
	buf_clear(&a->view.out);
	term_give_back(&a->term);
	(void)kill(getpid(), SIGSTOP);
	if (term_take(&a->term, &a->error) < 0)
		attach_fail(a);
	attach_look_at_terminal(a);
	attach_tell_size(a);
}

static void
on_command(void *arg, enum keys_command command)
{
	struct attach *a = arg;
	char name[KEY_NAME_MAX] = "", text[256];

	(void)key_name(&a->keys.prefix, name, sizeof(name));
	switch (command) {
	case KEYS_DETACH:
		attach_detach(a);
		break;
	case KEYS_SUSPEND:
		attach_suspend(a);
		break;
	case KEYS_HISTORY:
		open_book(a);
		break;
	case KEYS_HELP:
		keys_help(&a->keys, text, sizeof(text));
		attach_notice(a, text);
		a->notice_ms += HELP_MS - NOTICE_MS;
		a->helping = true;
		break;
	case KEYS_UNKNOWN:
		snprintf(text, sizeof(text),
		    " no such command; %s ? shows what there is", name);
		attach_notice(a, text);
		break;
	}
}

/* Programs that ask are told the colours of who types (O-10). */
static void
tell_colours(struct attach *a)
{
	struct buf json;

	if (a->coloured || !a->probe.has_fg || !a->probe.has_bg ||
	    a->keys.muted)
		return;
	a->coloured = true; /* or as soon as we are connected again */
	buf_init(&json, 256);
	buf_printf(&json,
	    "{\"id\":1,\"op\":\"session.colours\","
	    "\"args\":{\"fg\":\"%06x\",\"bg\":\"%06x\"}}",
	    (unsigned)a->probe.fg, (unsigned)a->probe.bg);
	(void)frame_put(&a->send, FRAME_REQUEST, json.data, json.len);
	buf_finish(&json);
}

static void
on_reply(void *arg, const struct key_reply *r)
{
	struct attach *a = arg;

	probe_answer(&a->probe, r);
	tell_colours(a);
	a->view.painter.sync = a->probe.sync;
	a->view.painter.widths_differ = a->probe.widths;
	a->view.follow.kitty = a->probe.kitty;
	a->view.measured |= a->probe.done;
	a->keys.decoder.cpr_expected = a->probe.done ?
	    0 :
	    PROBE_REPORTS - a->probe.measured;
}

const struct keys_ops attach_keys_ops = {
	.command = on_command,
	.key = on_book_key,
	.reply = on_reply,
};

/* Somebody types, and the terminal is behind: show what is now. */
static void
catch_up(struct attach *a)
{
	if (!a->view.passing || a->view.out.len < ATTACH_BEHIND)
		return;
	buf_clear(&a->view.out);
	a->mirror.stale = true;
	a->view.redraw = true;
}

void
attach_on_terminal(struct attach *a)
{
	uint8_t bytes[16 << 10];
	ssize_t n = read(a->term.fd, bytes, sizeof(bytes));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		attach_finish(a, HUNG_UP, 0);
		return;
	}
	a->key_ms = clock_ms(CLOCK_MONOTONIC);
	a->keys.left = a->view.passing ? 0 : a->view.painter.left;
	a->keys.top = a->view.passing ? 0 : a->view.painter.top;
	a->keys.cols = a->mirror.cols;
	a->keys.rows = a->mirror.rows;
	a->keys.decoder.mouse_format = MOUSE_SGR;
	if (a->view.passing ?
		a->view.filter.pixels :
		a->view.follow.now.mouse_format == MOUSE_SGR_PIXELS)
		a->keys.decoder.mouse_format = MOUSE_SGR_PIXELS;
	if (a->helping)
		attach_notice(a, NULL);
	a->helping = false;
	keys_feed(&a->keys, bytes, (size_t)n);
	if (a->keys.typed)
		attach_on_typed(a);
	catch_up(a);
}
