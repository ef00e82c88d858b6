#include <stdio.h>

#include "base/clock.h"
#include "client/attach_state.h"
#include "vt/key.h"
#include "vt/mouse.h"
#include "wire/frame.h"

#define SCROLLBACK_MS 1000 /* for the host's page */
#define WORK_MS 30         /* at most, before keys are read again */
#define WHEEL_LINES 3

/* True if keys go to tend itself. */
static bool
is_grabbing(const struct attach *a)
{
	return a->entered != NULL || a->helping ||
	    scrollback_mode_is_open(&a->reader);
}

/* The page below the input line, or NULL. */
static const struct vt *
page_of(const struct attach *a)
{
	if (a->helping)
		return a->help.vt;
	return scrollback_mode_is_open(&a->reader) ? a->reader.page.vt : NULL;
}

static void
draw_page(struct attach *a)
{
	char prefix[KEY_NAME_MAX] = "", pressed[ATTACH_PREFIX_MAX];

	(void)key_name(&a->keys.prefix, prefix, sizeof(prefix));
	attach_prefix(a, pressed);
	if (a->helping)
		help_draw(&a->help, pressed, prefix, &a->keys.bound,
		    a->view.cols, a->view.rows);
	else if (scrollback_mode_is_open(&a->reader))
		scrollback_mode_draw(&a->reader, a->view.cols, a->view.rows);
	a->view.page = page_of(a);
	a->view.marks = a->reader.page.marks;
	a->view.n_marks = a->helping ? 0 : a->reader.page.n_marks;
}

static void
draw_bar(struct attach *a)
{
	char line[ENTRY_LINE_MAX];

	a->view.asking = a->entered != NULL;
	a->notice_ms = 0;
	if (a->entered != NULL) {
		a->view.ask_column = entry_draw(&a->entry, a->view.cols, line);
		view_notice(&a->view, line);
	} else if (a->helping) {
		view_notice(&a->view, a->help.bar);
	} else {
		view_notice(&a->view, a->reader.bar);
	}
}

void
attach_draw(struct attach *a)
{
	if (!is_grabbing(a))
		return;
	draw_page(a);
	draw_bar(a);
	a->view.redraw = true;
}

/* A page was opened or closed: draw the remaining one, if any. */
static void
change(struct attach *a)
{
	a->keys.grabbed = is_grabbing(a);
	a->view.asking = false;
	a->view.page = NULL;
	a->view.redraw = true;
	attach_notice(a, NULL);
}

/* History. */

void
attach_open_history(struct attach *a)
{
	struct error err;

	if (scrollback_mode_is_open(&a->reader))
		return;
	if (scrollback_mode_open(&a->reader, a->dirfd, SCROLLBACK_MS, &err) <
	    0) {
		char text[192];

		snprintf(text, sizeof(text), " no history: %.160s", err.msg);
		attach_notice(a, text);
		return;
	}
	change(a);
}

static void
on_search(struct attach *a, const char *text)
{
	scrollback_mode_search(&a->reader, text, false);
}

static void
on_search_back(struct attach *a, const char *text)
{
	scrollback_mode_search(&a->reader, text, true);
}

/* Send copied text to the terminal after the pending bytes. */
static void
send_copied(struct attach *a)
{
	struct buf *copied = &a->reader.copied;

	buf_append(&a->view.out, copied->data, copied->len);
	buf_clear(copied);
}

static void
on_reader_key(struct attach *a, const struct key *k)
{
	switch (scrollback_mode_key(&a->reader, k)) {
	case SCROLLBACK_MODE_LEAVE:
		scrollback_mode_close(&a->reader);
		change(a);
		break;
	case SCROLLBACK_MODE_ASK:
		attach_ask(a, "search: ", "", on_search);
		break;
	case SCROLLBACK_MODE_ASK_BACK:
		attach_ask(a, "search back: ", "", on_search_back);
		break;
	case SCROLLBACK_MODE_STAY:
		send_copied(a);
		attach_draw(a);
		break;
	}
}

bool
attach_is_busy(const struct attach *a)
{
	return scrollback_mode_is_open(&a->reader) &&
	    scrollback_mode_is_busy(&a->reader);
}

void
attach_work(struct attach *a)
{
	int64_t until = clock_ms(CLOCK_MONOTONIC) + WORK_MS;

	if (!attach_is_busy(a))
		return;
	while (attach_is_busy(a) && clock_ms(CLOCK_MONOTONIC) < until)
		scrollback_mode_work(&a->reader);
	attach_draw(a);
}

/* Help. */

void
attach_open_help(struct attach *a)
{
	a->helping = true;
	change(a);
}

static void
close_help(struct attach *a)
{
	a->helping = false;
	help_finish(&a->help);
	change(a);
}

/* Input lines. */

void
attach_ask(struct attach *a, const char *label, const char *text,
    void (*fn)(struct attach *a, const char *text))
{
	entry_begin(&a->entry, label, text);
	a->entered = fn;
	change(a);
}

void
attach_ask_yes_no(struct attach *a, const char *question,
    void (*fn)(struct attach *a, const char *text))
{
	entry_begin_yes_no(&a->entry, question);
	a->entered = fn;
	change(a);
}

static void
on_entry_key(struct attach *a, const struct key *k)
{
	void (*fn)(struct attach * a, const char *text) = a->entered;
	enum entry_state state = entry_key(&a->entry, k);

	if (state == ENTRY_OPEN) {
		attach_draw(a);
		return;
	}
	a->entered = NULL;
	change(a);
	if (state == ENTRY_ACCEPTED)
		fn(a, a->entry.text);
	attach_draw(a);
}

/* All pages. */

void
attach_on_key(void *arg, const struct key *k)
{
	struct attach *a = arg;

	if (a->entered != NULL)
		on_entry_key(a, k);
	else if (a->helping && help_key(&a->help, k))
		attach_draw(a);
	else if (a->helping)
		close_help(a);
	else if (scrollback_mode_is_open(&a->reader))
		on_reader_key(a, k);
}

void
attach_on_mouse(void *arg, const struct mouse_event *ev)
{
	struct attach *a = arg;

	if (a->entered != NULL)
		return;
	if (!a->helping && scrollback_mode_is_open(&a->reader))
		scrollback_mode_mouse(&a->reader, ev);
	else if (ev->type == MOUSE_SCROLL)
		help_scroll(&a->help,
		    ev->button == MOUSE_WHEEL_DOWN ? WHEEL_LINES :
						     -WHEEL_LINES);
	attach_draw(a);
}

void
attach_close_pages(struct attach *a)
{
	if (scrollback_mode_is_open(&a->reader))
		scrollback_mode_close(&a->reader);
	help_finish(&a->help);
}
