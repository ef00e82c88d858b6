#include "played.h"

#include <string.h>

#include "base/utf8.h"

#include "fuzz.h"
#include "props.h"

#define OPTIONS 4
#define REPLIES_MAX (4u << 20)

static const struct {
	uint32_t lines;
	size_t bytes;
} histories[4] = {
	{ 0, 0 },
	{ 5, 2048 },
	{ VT_HISTORY_LINES, VT_HISTORY_BYTES },
	{ 1000000, 64u << 20 },
};

static unsigned
columns(uint8_t byte)
{
	return 2 + byte % 131;
}

static unsigned
rows(uint8_t byte)
{
	return 1 + byte % 50;
}

bool
stream_init(struct stream *s, const uint8_t *p, size_t len)
{
	if (len < OPTIONS)
		return false;
	*s = (struct stream){
		.config = {
			.cols = (uint16_t)columns(p[0]),
			.rows = (uint16_t)rows(p[1]),
			.history_lines = histories[p[2] & 3].lines,
			.history_bytes = histories[p[2] & 3].bytes,
		},
		.ample = (p[2] & 3) == 3,
		.seed = p[3],
		.p = p + OPTIONS,
		.len = len - OPTIONS,
	};
	return true;
}

static void
on_reply(void *arg, const char *p, size_t len)
{
	struct player *pl = arg;
	struct error err;

	fuzz_check(prop_reply(p, len, &err), &err);
	buf_append(&pl->replies, p, len);
}

static void
check_string(const char *s)
{
	struct error err;

	if (s == NULL)
		return;
	for (const char *p = s; *p != '\0'; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			fuzz_check(error_set(&err, 1,
				       "a control character in an event"),
			    &err);
	}
	if (!utf8_valid(s, strlen(s)))
		fuzz_check(error_set(&err, 1, "an event is no UTF-8"), &err);
}

static void
on_event(void *arg, const struct vt_event *ev)
{
	(void)arg;
	check_string(ev->title);
	check_string(ev->text);
}

static const struct vt_ops ops = { .reply = on_reply, .event = on_event };

void
player_init(struct player *pl, const struct stream *s)
{
	struct vt_config config = s->config;
	struct error err;

	*pl = (struct player){ .rng = { s->seed }, .piece = SIZE_MAX };
	buf_init(&pl->replies, REPLIES_MAX);
	config.ops = &ops;
	config.arg = pl;
	pl->vt = vt_create(&config, &err);
	fuzz_check(pl->vt == NULL ? -1 : 0, &err);
}

void
player_finish(struct player *pl)
{
	vt_destroy(pl->vt);
	buf_finish(&pl->replies);
}

static void
restore(struct player *pl)
{
	struct error err;
	struct vt *vt = prop_restored(pl->vt, &ops, pl, &err);

	fuzz_check(vt == NULL ? -1 : 0, &err);
	vt_destroy(pl->vt);
	pl->vt = vt;
	pl->restore = false;
}

static void
feed_piece(struct player *pl, const uint8_t *p, size_t len)
{
	if (!pl->frames) {
		vt_feed(pl->vt, p, len);
		return;
	}
	while (len > 0) {
		size_t n = vt_feed_frame(pl->vt, p, len);
		struct error err;

		if (n == 0 || n > len)
			fuzz_check(error_set(&err, 1,
				       "a frame of %zu out of %zu bytes", n,
				       len),
			    &err);
		p += n;
		len -= n;
	}
}

/* Feed the bytes from offset `from` up to `to`, in pieces. */
static void
feed(struct player *pl, const struct stream *s, size_t from, size_t to)
{
	while (from < to) {
		size_t n = to - from;

		if (n > pl->piece)
			n = 1 + rng_below(&pl->rng, (unsigned)pl->piece);
		if (n > to - from)
			n = to - from;
		if (pl->restore && pl->restore_at > from &&
		    pl->restore_at < from + n)
			n = pl->restore_at - from;
		feed_piece(pl, s->p + from, n);
		from += n;
		if (pl->restore && from >= pl->restore_at)
			restore(pl);
	}
}

static void
resize(struct player *pl, uint8_t c, uint8_t r)
{
	struct error err;

	fuzz_check(vt_resize(pl->vt, columns(c), rows(r), &err), &err);
}

/* Handle the FF at offset `at`; returns the offset after it. */
static size_t
play_mark(struct player *pl, const struct stream *s, size_t at)
{
	if (at + 1 < s->len && s->p[at + 1] == 0xff) {
		feed(pl, s, at, at + 1);
		return at + 2;
	}
	if (at + 2 < s->len)
		resize(pl, s->p[at + 1], s->p[at + 2]);
	return at + 3;
}

void
player_play(struct player *pl, const struct stream *s)
{
	size_t at = 0;

	while (at < s->len) {
		const uint8_t *mark = memchr(s->p + at, 0xff, s->len - at);
		size_t end = mark ? (size_t)(mark - s->p) : s->len;

		feed(pl, s, at, end);
		at = mark ? play_mark(pl, s, end) : end;
	}
}
