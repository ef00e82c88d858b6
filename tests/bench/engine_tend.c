#include "engine.h"

#include <string.h>

#include "base/buf.h"
#include "vt/text.h"
#include "vt/vt.h"

static void
on_reply(void *arg, const char *p, size_t len)
{
	(void)arg;
	(void)p;
	(void)len;
}

static const struct vt_ops ops = { .reply = on_reply };

/*
 * The peers keep every line that fits in their number of lines.  So does this
 * engine, with a limit in bytes that is never reached.  With tend's default
 * number of lines, its default limit in bytes applies too, because tend
 * promises that pair.
 */
static void *
tend_create(unsigned cols, unsigned rows, unsigned lines)
{
	struct vt_config config = {
		.cols = (uint16_t)cols,
		.rows = (uint16_t)rows,
		.history_lines = lines,
		.history_bytes = lines == VT_HISTORY_LINES ? VT_HISTORY_BYTES :
							     64 << 20,
		.ops = &ops,
	};

	return vt_create(&config, NULL);
}

static void
tend_destroy(void *self)
{
	vt_destroy(self);
}

static size_t
tend_feed(void *self, const char *p, size_t len)
{
	vt_feed(self, p, len);
	return len;
}

static bool
tend_shows(void *self, const char *text)
{
	struct vt *vt = self;
	struct buf line;
	struct vt_row row;
	bool found = false;

	buf_init(&line, 1 << 20);
	for (unsigned y = 0; y < vt_rows(vt) && !found; y++) {
		buf_clear(&line);
		vt_screen_row(vt, y, &row);
		vt_row_text(&row, &line);
		found = line.len >= strlen(text) &&
		    memcmp(line.data, text, strlen(text)) == 0;
	}
	buf_finish(&line);
	return found;
}

const struct engine engine_tend = {
	.name = "tend",
	.create = tend_create,
	.destroy = tend_destroy,
	.feed = tend_feed,
	.shows = tend_shows,
};
