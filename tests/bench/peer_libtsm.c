/* Debian's libtsm: its screen, its parser, and its own scrollback. */
#include "engine.h"

#include <libtsm.h>
#include <string.h>

#include "base/mem.h"

struct peer {
	struct tsm_screen *screen;
	struct tsm_vte *vte;
};

/* The text that peer_shows searches, and how far each row has matched. */
struct search {
	const char *text;
	unsigned *matched; /* by row */
	bool found;
};

static void
on_write(struct tsm_vte *vte, const char *u8, size_t len, void *data)
{
	(void)vte;
	(void)u8;
	(void)len;
	(void)data;
}

static void
peer_destroy(void *self)
{
	struct peer *p = self;

	if (p->vte != NULL)
		tsm_vte_unref(p->vte);
	if (p->screen != NULL) {
		/* libtsm does not free its scrollback by itself. */
		tsm_screen_clear_sb(p->screen);
		tsm_screen_unref(p->screen);
	}
	free(p);
}

static void *
peer_create(unsigned cols, unsigned rows, unsigned lines)
{
	struct peer *p = xcalloc(1, sizeof(*p));

	if (tsm_screen_new(&p->screen, NULL, NULL) < 0 ||
	    tsm_vte_new(&p->vte, p->screen, on_write, NULL, NULL, NULL) < 0 ||
	    tsm_screen_resize(p->screen, cols, rows) < 0) {
		peer_destroy(p);
		return NULL;
	}
	tsm_screen_set_max_sb(p->screen, lines);
	return p;
}

static size_t
peer_feed(void *self, const char *p, size_t len)
{
	struct peer *peer = self;

	tsm_vte_input(peer->vte, p, len);
	return len;
}

static int
on_cell(struct tsm_screen *screen, uint64_t id, const uint32_t *ch, size_t len,
    unsigned width, unsigned x, unsigned y, const struct tsm_screen_attr *attr,
    tsm_age_t age, void *data)
{
	struct search *s = data;

	(void)screen;
	(void)id;
	(void)width;
	(void)attr;
	(void)age;
	if (len == 1 && s->matched[y] == x && s->text[x] != '\0' &&
	    ch[0] == (unsigned char)s->text[x]) {
		s->matched[y]++;
		if (s->text[s->matched[y]] == '\0')
			s->found = true;
	}
	return 0;
}

static bool
peer_shows(void *self, const char *text)
{
	struct peer *p = self;
	struct search s = { .text = text };

	s.matched = xcalloc(tsm_screen_get_height(p->screen),
	    sizeof(*s.matched));
	tsm_screen_draw(p->screen, on_cell, &s);
	free(s.matched);
	return s.found;
}

const struct engine engine_libtsm = {
	.name = "libtsm",
	.create = peer_create,
	.destroy = peer_destroy,
	.feed = peer_feed,
	.shows = peer_shows,
};
