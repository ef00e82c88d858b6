/*
 * Debian's libvterm, used as its header suggests: the screen layer, damage
 * merged as far as possible (nothing reads the screen between feeds), and
 * scrollback as the cells from sb_pushline, kept in a ring.
 */
#include "engine.h"

#include <string.h>
#include <vterm.h>

#include "base/mem.h"

struct line {
	VTermScreenCell *cells; /* NULL: never used */
	int cols;
};

struct peer {
	VTerm *vterm;
	VTermScreen *screen;
	struct line *lines; /* a ring */
	unsigned cap;
	unsigned count;
	unsigned next; /* where the next line goes */
};

static int
on_pushline(int cols, const VTermScreenCell *cells, void *user)
{
	struct peer *p = user;
	struct line *line = &p->lines[p->next];

	if (line->cols != cols) {
		line->cells = xrealloc(line->cells, (size_t)cols,
		    sizeof(*cells));
		line->cols = cols;
	}
	memcpy(line->cells, cells, (size_t)cols * sizeof(*cells));
	p->next = (p->next + 1) % p->cap;
	if (p->count < p->cap)
		p->count++;
	return 1;
}

static int
on_popline(int cols, VTermScreenCell *cells, void *user)
{
	struct peer *p = user;
	struct line *line;
	int n;

	if (p->count == 0)
		return 0;
	p->count--;
	p->next = (p->next + p->cap - 1) % p->cap;
	line = &p->lines[p->next];
	n = line->cols < cols ? line->cols : cols;
	memset(cells, 0, (size_t)cols * sizeof(*cells));
	memcpy(cells, line->cells, (size_t)n * sizeof(*cells));
	return 1;
}

static void
on_output(const char *s, size_t len, void *user)
{
	(void)s;
	(void)len;
	(void)user;
}

static const VTermScreenCallbacks with_scrollback = {
	.sb_pushline = on_pushline,
	.sb_popline = on_popline,
};
static const VTermScreenCallbacks without_scrollback = { .bell = NULL };

static void *
peer_create(unsigned cols, unsigned rows, unsigned lines)
{
	struct peer *p = xcalloc(1, sizeof(*p));

	p->vterm = vterm_new((int)rows, (int)cols);
	p->cap = lines;
	if (lines > 0)
		p->lines = xcalloc(lines, sizeof(*p->lines));
	vterm_set_utf8(p->vterm, 1);
	vterm_output_set_callback(p->vterm, on_output, NULL);
	p->screen = vterm_obtain_screen(p->vterm);
	vterm_screen_set_callbacks(p->screen,
	    lines > 0 ? &with_scrollback : &without_scrollback, p);
	vterm_screen_enable_altscreen(p->screen, 1);
	vterm_screen_set_damage_merge(p->screen, VTERM_DAMAGE_SCROLL);
	vterm_screen_reset(p->screen, 1);
	return p;
}

static void
peer_destroy(void *self)
{
	struct peer *p = self;

	vterm_free(p->vterm);
	for (unsigned i = 0; i < p->cap; i++)
		free(p->lines[i].cells);
	free(p->lines);
	free(p);
}

static size_t
peer_feed(void *self, const char *p, size_t len)
{
	struct peer *peer = self;
	size_t taken = vterm_input_write(peer->vterm, p, len);

	vterm_screen_flush_damage(peer->screen);
	return taken;
}

static bool
row_begins(VTermScreen *screen, int row, const char *text)
{
	VTermScreenCell cell;

	for (int col = 0; text[col] != '\0'; col++) {
		VTermPos pos = { .row = row, .col = col };

		if (!vterm_screen_get_cell(screen, pos, &cell) ||
		    cell.chars[0] != (unsigned char)text[col])
			return false;
	}
	return true;
}

static bool
peer_shows(void *self, const char *text)
{
	struct peer *p = self;
	int rows, cols;

	vterm_get_size(p->vterm, &rows, &cols);
	for (int row = 0; row < rows; row++) {
		if (row_begins(p->screen, row, text))
			return true;
	}
	return false;
}

const struct engine engine_libvterm = {
	.name = "libvterm",
	.create = peer_create,
	.destroy = peer_destroy,
	.feed = peer_feed,
	.shows = peer_shows,
};
