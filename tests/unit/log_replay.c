/*
 * The screen at any moment of a log, compared with a replay from byte 0.  The
 * logs are made from the recordings in tests/data in the way of a host, with
 * keyframes and segments so small that there are many.
 */
#include "unit.h"

#include "log_make.h"
#include "../rng.h"
#include "cast/cast.h"
#include "log/replay.h"
#include "vt/keyframe.h"
#include "vt/text.h"
#include "vt/vt.h"

#define KEYFRAME_EVERY (512u << 10) /* as hosts do */
#define KEYFRAME_PREFIX 16          /* offset, size, engine version */

/* The parts of a host that matter to the log. */
struct host {
	struct made m;
	struct vt *vt;
	unsigned cols, rows; /* at the beginning */
	uint64_t keyframe_at, keyframe_every, segment_max;
	struct rng rng;
};

static struct vt *
new_engine(unsigned cols, unsigned rows)
{
	struct vt *vt = vt_create(
	    &(struct vt_config){
		.cols = (uint16_t)cols,
		.rows = (uint16_t)rows,
		.history_lines = VT_HISTORY_LINES,
		.history_bytes = VT_HISTORY_BYTES,
	    },
	    NULL);

	assert_non_null(vt);
	return vt;
}

/* The payload of a keyframe event; the caller finishes it. */
static struct buf
keyframe_payload(const struct host *h, bool full)
{
	struct payload_keyframe k = { .offset = h->m.offset,
		.cols = (uint16_t)vt_cols(h->vt),
		.rows = (uint16_t)vt_rows(h->vt),
		.engine = VT_ENGINE_VERSION };
	struct buf b;

	buf_init(&b, SIZE_MAX);
	payload_keyframe_encode(&k, &b);
	if (full)
		assert_int_equal(keyframe_save(h->vt, &b), 0);
	else
		assert_int_equal(keyframe_save_screen(h->vt, &b), 0);
	return b;
}

static void
host_keyframe(struct host *h)
{
	bool rotate = log_writer_segment_size(h->m.w) > h->segment_max;
	bool full = rotate || h->m.seq == 0;
	struct buf b = keyframe_payload(h, full);

	if (rotate)
		made_rotate(&h->m, b.data, b.len);
	else
		made_put(&h->m, RECORD_KEYFRAME, full ? RECORD_FULL : 0, b.data,
		    b.len);
	h->keyframe_at = h->m.offset;
	buf_finish(&b);
}

static void
host_init(struct host *h, unsigned cols, unsigned rows)
{
	*h = (struct host){ .cols = cols,
		.rows = rows,
		.keyframe_every = 3000,
		.segment_max = 30000,
		.rng = { 40 } };
	made_init(&h->m);
	h->vt = new_engine(cols, rows);
	host_keyframe(h);
}

static void
host_finish(struct host *h)
{
	vt_destroy(h->vt);
	made_finish(&h->m);
}

/* Output in pieces that end anywhere. */
static void
host_output(struct host *h, const char *p, size_t len)
{
	while (len > 0) {
		size_t n = rng_between(&h->rng, 1, 700);

		n = n < len ? n : len;
		if (h->m.offset + n > h->keyframe_at + h->keyframe_every)
			host_keyframe(h);
		vt_feed(h->vt, p, n);
		made_put(&h->m, RECORD_OUTPUT, RECORD_FRAME, p, n);
		if (rng_below(&h->rng, 9) == 0)
			made_put(&h->m, RECORD_MARK, 0, "mark", 4);
		p += n;
		len -= n;
	}
}

static void
host_resize(struct host *h, unsigned cols, unsigned rows)
{
	uint8_t size[5] = { 0 };
	struct log_event ev[2];
	struct buf b;

	assert_int_equal(vt_resize(h->vt, cols, rows, NULL), 0);
	b = keyframe_payload(h, false);
	put_u16le(size, (uint16_t)cols);
	put_u16le(size + 2, (uint16_t)rows);
	ev[0] = made_next(&h->m, RECORD_RESIZE, 0, size, sizeof(size));
	ev[1] = made_next(&h->m, RECORD_KEYFRAME, 0, b.data, b.len);
	ev[1].seq++;
	assert_int_equal(log_writer_append(h->m.w, ev, 2), 0);
	made_note(&h->m, &ev[0]);
	made_note(&h->m, &ev[1]);
	h->keyframe_at = h->m.offset;
	buf_finish(&b);
}

static int
on_cast_event(void *arg, const struct cast_event *ev, struct error *err)
{
	struct host *h = arg;

	(void)err;
	if (ev->type == CAST_HEADER)
		host_init(h, ev->cols, ev->rows);
	else if (ev->type == CAST_OUTPUT)
		host_output(h, ev->data, ev->len);
	else if (ev->type == CAST_RESIZE)
		host_resize(h, ev->cols, ev->rows);
	return 0;
}

static void
host_play(struct host *h, const char *folder, const char *name)
{
	struct cast *c = cast_create(on_cast_event, h);
	struct error err = { 0 };
	char path[4096], part[4096];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (f == NULL)
		fail_msg("%s: %s", path, strerror(errno));
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		if (cast_feed(c, part, n, &err) < 0)
			fail_msg("%s: %s", name, err.msg);
	assert_int_equal(cast_end(c, &err), 0);
	cast_destroy(c);
	fclose(f);
}

/* ------------------------------------------------- the replay from byte 0 */

struct naive {
	const struct host *h;
	struct vt *vt;
	size_t next;     /* event */
	uint64_t offset; /* bytes shown */
};

static bool
naive_includes(const struct naive *n, const struct twin_event *t,
    enum log_by by, uint64_t value)
{
	(void)n;
	return by == LOG_BY_SEQ ? t->seq <= value :
	    by == LOG_BY_TIME   ? t->time_ns <= value :
				  t->offset + t->len <= value ||
		(t->type != RECORD_OUTPUT && t->offset <= value);
}

/* Continue to the value, which is not less than the last one. */
static void
naive_go_to(struct naive *n, enum log_by by, uint64_t value)
{
	const struct made *m = &n->h->m;

	for (; n->next < m->count; n->next++) {
		const struct twin_event *t = &m->events[n->next];
		size_t len = t->len;

		if (!naive_includes(n, t, by, value)) {
			if (by != LOG_BY_OFFSET || t->offset >= value)
				break;
			len = (size_t)(value - t->offset);
		}
		if (t->type == RECORD_RESIZE)
			assert_int_equal(vt_resize(n->vt, get_u16le(t->p),
					     get_u16le(t->p + 2), NULL),
			    0);
		if (t->type != RECORD_OUTPUT)
			continue;
		vt_feed(n->vt, t->p + (n->offset - t->offset),
		    len - (size_t)(n->offset - t->offset));
		n->offset = t->offset + len;
		if (len < t->len)
			break;
	}
}

static bool
same_terminal(const struct vt *a, const struct vt *b, bool history)
{
	struct buf x, y;
	bool same;

	buf_init(&x, SIZE_MAX);
	buf_init(&y, SIZE_MAX);
	if (history) {
		keyframe_save(a, &x);
		keyframe_save(b, &y);
	} else {
		keyframe_save_screen(a, &x);
		keyframe_save_screen(b, &y);
	}
	same = x.len == y.len && memcmp(x.data, y.data, x.len) == 0;
	buf_finish(&x);
	buf_finish(&y);
	return same;
}

static void
compare_at(struct naive *n, struct log_reader *r, enum log_by by,
    uint64_t value, bool history, const char *name)
{
	struct error err = { 0 };
	struct replay at;
	int rc = replay_at(r, by, value, history, &at, &err);

	if (rc < 0)
		fail_msg("%s by %d at %ju: %s", name, by, (uintmax_t)value,
		    err.msg);
	naive_go_to(n, by, value);
	if (!at.complete || at.offset != n->offset ||
	    !same_terminal(at.vt, n->vt, history))
		fail_msg("%s by %d at %ju, history %d: offset %ju not %ju, "
			 "complete %d",
		    name, by, (uintmax_t)value, history, (uintmax_t)at.offset,
		    (uintmax_t)n->offset, at.complete);
	if (by == LOG_BY_SEQ)
		assert_in_range(at.seq, value, value + 1);
	vt_destroy(at.vt);
}

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Moments to check, in order: some random ones, and those of resizes. */
static size_t
choose(const struct host *h, enum log_by by, uint64_t *out, size_t max)
{
	struct rng rng = { (uint64_t)by + 50 };
	uint64_t end = by == LOG_BY_SEQ ? h->m.seq :
	    by == LOG_BY_TIME           ? h->m.time_ns :
					  h->m.offset;
	uint64_t least = by == LOG_BY_OFFSET ? 0 : by == LOG_BY_SEQ ? 1 : 1000;
	size_t n = 0;

	for (size_t i = 0; i < h->m.count && n + 3 < max / 2; i++) {
		const struct twin_event *t = &h->m.events[i];
		uint64_t at = by == LOG_BY_SEQ ? t->seq :
		    by == LOG_BY_TIME          ? t->time_ns :
						 t->offset;

		if (t->type != RECORD_RESIZE)
			continue;
		out[n++] = at > least ? at - 1 : least;
		out[n++] = at;
		out[n++] = at + 1 < end ? at + 1 : end;
	}
	while (n < max)
		out[n++] = least + rng_next(&rng) % (end - least + 1);
	qsort(out, n, sizeof(*out), by_value);
	return n;
}

static void
compare_all(struct host *h, const char *name, size_t moments)
{
	struct log_reader *r = made_reader(h->m.dirfd);
	auto_free uint64_t *values = xcalloc(moments, sizeof(*values));

	for (int pass = 0; pass < 6; pass++) {
		enum log_by by = (enum log_by)(pass % 3);
		size_t count = choose(h, by, values, moments);
		struct naive n = { .h = h, .vt = new_engine(h->cols, h->rows) };

		for (size_t i = 0; i < count; i++)
			compare_at(&n, r, by, values[i], pass >= 3, name);
		vt_destroy(n.vt);
	}
	log_reader_close(r);
}

static int
is_cast(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot != NULL && strcmp(dot, ".cast") == 0;
}

static void
every_moment_equals_a_replay_from_byte_0(void **state)
{
	const char *folder = *state;
	size_t moments = dose(12, 300);
	struct dirent **names;
	int n = scandir(folder, &names, is_cast, alphasort);

	assert_true(n > 0);
	for (int i = 0; i < n; i++) {
		struct host h;

		host_play(&h, folder, names[i]->d_name);
		if (i % 2 == 0)
			while (log_writer_compress(h.m.w) == 1)
				continue;
		compare_all(&h, names[i]->d_name, moments);
		host_finish(&h);
		free(names[i]);
	}
	free(names);
}

static void
a_replay_to_the_end_gives_the_screen_of_the_host(void **state)
{
	struct log_reader *r;
	struct replay at;
	struct host h;

	host_play(&h, *state, "agent-resize.cast");
	r = made_reader(h.m.dirfd);
	for (int history = 0; history < 2; history++) {
		assert_int_equal(replay_end(r, history, &at, NULL), 0);
		assert_true(same_terminal(at.vt, h.vt, history));
		assert_int_equal(at.seq, h.m.seq);
		assert_int_equal(at.offset, h.m.offset);
		assert_int_equal(at.time_ns, h.m.time_ns);
		assert_true(at.complete);
		vt_destroy(at.vt);
	}
	log_reader_close(r);
	host_finish(&h);
}

/* A viewer, and what it saw. */
struct onlooker {
	uint64_t seqs[4000];
	char hashes[4000][65];
	size_t frames, most;
	char slice[65]; /* the hash after the last slice, "" after a frame */
	size_t slices;
};

static bool
look_on(void *arg, const struct replay *at, bool frame)
{
	struct onlooker *o = arg;
	char hash[65];

	vt_hash(at->vt, hash);
	if (!frame) {
		memcpy(o->slice, hash, sizeof(hash));
		o->slices++;
		return false; /* counts at frames only */
	}
	assert_true(o->frames < 4000);
	if (o->slice[0] != '\0') /* not after a resize */
		assert_string_equal(o->slice, hash);
	o->slice[0] = '\0';
	o->seqs[o->frames] = at->seq;
	memcpy(o->hashes[o->frames++], hash, sizeof(hash));
	return o->frames < o->most;
}

static void
watch_from(struct log_reader *r, uint64_t after, bool slices, size_t most,
    struct onlooker *o, struct replay *at)
{
	const struct replay_watch watch = {
		.after = after,
		.slices = slices,
		.fn = look_on,
		.arg = o,
	};

	memset(o, 0, sizeof(*o));
	o->most = most;
	assert_int_equal(replay_watched(r, UINT64_MAX, &watch, at, NULL), 0);
}

/* A writer that is as fast as the viewer. */
static bool
write_on(void *arg, const struct replay *at, bool frame)
{
	struct host *h = arg;

	(void)at;
	(void)frame;
	assert_true(h->m.seq < 1000);
	host_output(h, "x", 1);
	return true;
}

static void
a_growing_log_is_shown_up_to_its_end(void **state)
{
	struct log_reader *r;
	struct replay at;
	struct host h;
	const struct replay_watch watch = { .fn = write_on, .arg = &h };
	uint64_t seq;

	(void)state;
	host_init(&h, 20, 5);
	for (unsigned i = 0; i < 5; i++)
		host_output(&h, "y", 1);
	seq = h.m.seq;
	r = made_reader(h.m.dirfd);
	assert_int_equal(replay_end_watched(r, false, &watch, &at, NULL), 0);
	assert_int_equal(at.seq, seq);
	assert_true(h.m.seq > seq);
	vt_destroy(at.vt);
	log_reader_close(r);
	host_finish(&h);
}

static void
every_frame_is_shown_to_a_viewer(void **state)
{
	struct onlooker *all = xmalloc(sizeof(*all)),
			*some = xmalloc(sizeof(*some));
	struct log_reader *r;
	struct replay at;
	struct host h;
	char hash[65];

	host_play(&h, *state, "agent-resize.cast");
	r = made_reader(h.m.dirfd);
	watch_from(r, 0, false, SIZE_MAX, all, &at);
	assert_int_equal(at.seq, h.m.seq);
	vt_destroy(at.vt);
	assert_true(all->frames > 50 && all->slices == 0);
	for (size_t i = 0; i < all->frames; i += 7) {
		replay_at(r, LOG_BY_SEQ, all->seqs[i], false, &at, NULL);
		vt_hash(at.vt, hash);
		assert_string_equal(hash, all->hashes[i]);
		vt_destroy(at.vt);
		/*
		 * From there on the frames are the same, up to the last one
		 * wanted.
		 */
		watch_from(r, all->seqs[i], true, 3, some, &at);
		assert_true(some->slices > 0 || some->frames == 0);
		for (size_t k = 0; k < some->frames; k++) {
			assert_int_equal(some->seqs[k], all->seqs[i + 1 + k]);
			assert_string_equal(some->hashes[k],
			    all->hashes[i + 1 + k]);
		}
		vt_hash(at.vt, hash);
		if (some->frames == 3) {
			assert_int_equal(at.seq, some->seqs[2]);
			assert_string_equal(hash, some->hashes[2]);
		}
		vt_destroy(at.vt);
	}
	log_reader_close(r);
	host_finish(&h);
	free(all);
	free(some);
}

/* No moment needs more than one keyframe and 512 KiB of output. */
static void
a_keyframe_is_never_far(void **state)
{
	struct rng rng = { 60 };
	struct log_reader *r;
	struct host h;
	char line[200];

	(void)state;
	host_init(&h, 80, 24);
	h.keyframe_every = KEYFRAME_EVERY;
	h.segment_max = LOG_SEGMENT_SIZE;
	while (h.m.offset < 10u << 20) {
		int n = snprintf(line, sizeof(line), "line %ju\r\n",
		    (uintmax_t)rng_next(&rng));

		host_output(&h, line, (size_t)n);
	}
	r = made_reader(h.m.dirfd);
	for (int i = 0; i < 50; i++) {
		uint64_t value = rng_next(&rng) % h.m.offset, offset = 0;
		uint64_t bytes = 0;
		struct record rec;
		const uint8_t *p;
		size_t len = 0;

		assert_int_equal(log_reader_seek_keyframe(r, LOG_BY_OFFSET,
				     value, false),
		    0);
		while (log_reader_next(r, &rec) == LOG_RECORD) {
			if (rec.type != RECORD_OUTPUT)
				continue;
			assert_true(made_output(&rec, &offset, &p, &len));
			bytes += len;
			if (offset + len > value)
				break;
		}
		assert_in_range(bytes, 1, KEYFRAME_EVERY);
	}
	log_reader_close(r);
	host_finish(&h);
}

/* ------------------------------------------------------------------ holes */

static void
put_range(struct host *h, uint8_t type, uint64_t a, uint64_t b)
{
	uint8_t p[17] = { 0 };
	struct log_event ev = made_next(&h->m, type, 0, NULL, 0);

	put_u64le(p, a);
	put_u64le(p + 8, b);
	p[16] = 1;
	ev.p1 = p;
	ev.len1 = type == RECORD_GAP ? 17 : 16;
	assert_int_equal(log_writer_append(h->m.w, &ev, 1), 0);
	made_note(&h->m, &ev);
	if (type == RECORD_GAP)
		h->m.offset = a + b;
}

/* The first line of the screen at an offset is `want`. */
static void
shows_at(const struct host *h, uint64_t offset, const char *want, bool complete)
{
	for (int history = 0; history < 2; history++) {
		struct log_reader *r = made_reader(h->m.dirfd);
		struct error err = { 0 };
		char text[VT_TEXT_MAX], got[21] = "";
		struct vt_row row;
		struct replay at;

		if (replay_at(r, LOG_BY_OFFSET, offset, history, &at, &err) < 0)
			fail_msg("at %ju: %s", (uintmax_t)offset, err.msg);
		vt_screen_row(at.vt, 0, &row);
		for (unsigned x = 0; x < row.used && x < 20; x++) {
			vt_cell_text(&row, x, text);
			got[x] = text[0];
		}
		assert_string_equal(got, want);
		/* Lost lines of the history do not come back. */
		if (!history || !complete)
			assert_int_equal(at.complete, complete);
		vt_destroy(at.vt);
		log_reader_close(r);
	}
}

/* Bytes that the log has and the engine did not see. */
static void
unseen(struct host *h, const char *s)
{
	made_put(&h->m, RECORD_OUTPUT, 0, s, strlen(s));
}

static void
seen(struct host *h, const char *s)
{
	vt_feed(h->vt, s, strlen(s));
	made_put(&h->m, RECORD_OUTPUT, 0, s, strlen(s));
}

static void
output_that_the_engine_did_not_see_is_not_shown(void **state)
{
	struct host h;

	(void)state;
	host_init(&h, 20, 5);
	seen(&h, "abc");
	unseen(&h, "POISON"); /* 3 to 9; the gap is logged after it */
	unseen(&h, "def");
	put_range(&h, RECORD_ENGINE_GAP, 3, 9);
	unseen(&h, "ghi");
	shows_at(&h, 2, "ab", true);
	shows_at(&h, 3, "abc", true);
	shows_at(&h, 6, "abc", false);
	shows_at(&h, 9, "", false);
	shows_at(&h, 10, "d", false);
	shows_at(&h, 15, "defghi", false);
	host_finish(&h);
}

static void
raw_mode_shows_nothing_more_until_there_is_an_engine(void **state)
{
	struct host h;

	(void)state;
	host_init(&h, 20, 5);
	seen(&h, "abc");
	put_range(&h, RECORD_ENGINE_GAP, 3, 0);
	unseen(&h, "POISON");
	shows_at(&h, 9, "abc", false);
	vt_destroy(h.vt);
	h.vt = new_engine(20, 5);
	host_keyframe(&h);
	seen(&h, "xyz");
	shows_at(&h, 12, "xyz", true);
	shows_at(&h, 8, "abc", false);
	host_finish(&h);
}

static void
after_a_gap_the_screen_waits_for_a_keyframe(void **state)
{
	struct host h;

	(void)state;
	host_init(&h, 20, 5);
	seen(&h, "abc");
	vt_feed(h.vt, "def", 3); /* the disk was full */
	put_range(&h, RECORD_GAP, 3, 3);
	seen(&h, "ghi");
	shows_at(&h, 3, "abc", true);
	shows_at(&h, 9, "abc", false);
	host_keyframe(&h);
	seen(&h, "j");
	shows_at(&h, 10, "abcdefghij", true);
	host_finish(&h);
}

static void
keyframes_that_cannot_be_restored_are_passed_over(void **state)
{
	uint8_t junk[KEYFRAME_PREFIX + 10] = { 3 };
	struct error err = { 0 };
	struct log_reader *r;
	struct replay at;
	struct host h;

	(void)state;
	host_init(&h, 20, 5);
	seen(&h, "abc");
	made_put(&h.m, RECORD_KEYFRAME, 0, junk, sizeof(junk));
	seen(&h, "def");
	shows_at(&h, 6, "abcdef", true);
	host_finish(&h);

	made_init(&h.m);
	r = made_reader(h.m.dirfd);
	assert_int_equal(replay_end(r, false, &at, &err), -ENOENT);
	made_put(&h.m, RECORD_MARK, 0, "a", 1);
	assert_int_equal(replay_end(r, true, &at, &err), -ENOENT);
	assert_string_equal(err.msg, "the log has no screen for this moment");
	made_put(&h.m, RECORD_KEYFRAME, RECORD_FULL, junk, sizeof(junk));
	assert_int_equal(replay_end(r, true, &at, &err), -EIO);
	assert_int_equal(replay_at(r, LOG_BY_SEQ, 1, false, &at, &err),
	    -ENOENT);
	log_reader_close(r);
	made_finish(&h.m);
}

/* The same keyframe, as a future engine would write it. */
static void
newer_keyframe(struct host *h, bool resize)
{
	struct buf b = keyframe_payload(h, false);
	uint8_t size[5] = { 0 };

	assert_memory_equal(b.data + KEYFRAME_PREFIX, "TKF", 3);
	b.data[KEYFRAME_PREFIX + 4] = 99;
	put_u16le(size, (uint16_t)vt_cols(h->vt));
	put_u16le(size + 2, (uint16_t)vt_rows(h->vt));
	if (resize)
		made_put(&h->m, RECORD_RESIZE, 0, size, sizeof(size));
	made_put(&h->m, RECORD_KEYFRAME, 0, b.data, b.len);
	buf_finish(&b);
}

static bool
is_rebuilt(const struct host *h)
{
	struct log_reader *r = made_reader(h->m.dirfd);
	struct replay at;

	assert_int_equal(replay_end(r, false, &at, NULL), 0);
	vt_destroy(at.vt);
	log_reader_close(r);
	return at.rebuilt;
}

static void
a_keyframe_of_a_newer_engine_is_rebuilt_from_output(void **state)
{
	struct host h;

	(void)state;
	host_init(&h, 20, 5);
	seen(&h, "abc");
	assert_false(is_rebuilt(&h));
	newer_keyframe(&h, false);
	seen(&h, "def");
	shows_at(&h, 6, "abcdef", true);
	assert_true(is_rebuilt(&h));
	vt_resize(h.vt, 4, 5, NULL);
	newer_keyframe(&h, true);
	seen(&h, "gh");
	shows_at(&h, 8, "abcd", true);
	assert_true(is_rebuilt(&h));
	host_keyframe(&h);
	assert_false(is_rebuilt(&h));
	host_finish(&h);
}

static void
a_session_of_a_newer_engine_is_rebuilt_from_its_first_byte(void **state)
{
	struct host h = { .vt = new_engine(20, 5) };

	(void)state;
	made_init(&h.m);
	newer_keyframe(&h, false);
	seen(&h, "abc");
	newer_keyframe(&h, false);
	shows_at(&h, 3, "abc", true);
	assert_true(is_rebuilt(&h));
	host_finish(&h);
}

static void
without_a_beginning_a_newer_engine_is_named(void **state)
{
	struct host h = { .vt = new_engine(20, 5) };
	struct error err = { 0 };
	struct log_reader *r;
	struct replay at;

	(void)state;
	made_init(&h.m);
	seen(&h, "abc");
	newer_keyframe(&h, false);
	seen(&h, "def");
	r = made_reader(h.m.dirfd);
	assert_int_equal(replay_end(r, false, &at, &err), -EIO);
	assert_non_null(strstr(err.msg, "engine 99"));
	log_reader_close(r);
	host_finish(&h);
}

/*
 * A damaged byte: every moment is right, or is reported as incomplete, and
 * that ends with the next keyframe.
 */
static void
damage_is_never_shown_as_good(void **state)
{
	int tries = (int)dose(20, 300);
	struct rng rng = { 70 };
	struct buf file;
	struct host h;

	host_play(&h, *state, "vim-split-resize.cast");
	made_close(&h.m);
	file = made_file(&h.m, 1, SEGMENT_PLAIN);
	for (int i = 0; i < tries; i++) {
		uint64_t at = SEGMENT_RECORDS +
		    rng_below(&rng, (unsigned)file.len - SEGMENT_RECORDS);
		struct naive n = { .h = &h, .vt = new_engine(h.cols, h.rows) };
		struct log_reader *r = made_reader(h.m.dirfd);

		file.data[at] ^= 4;
		made_write_file(&h.m, 1, SEGMENT_PLAIN, file.data, file.len);
		file.data[at] ^= 4;
		for (uint64_t seq = 1; seq <= h.m.seq; seq += 1 + h.m.seq / 9) {
			struct replay got;
			int rc = replay_at(r, LOG_BY_SEQ, seq, false, &got,
			    NULL);

			naive_go_to(&n, LOG_BY_SEQ, seq);
			if (rc < 0)
				continue;
			if (got.complete && got.seq >= seq &&
			    !same_terminal(got.vt, n.vt, false))
				fail_msg("byte %ju, seq %ju: offset %ju, not "
					 "%ju",
				    (uintmax_t)at, (uintmax_t)seq,
				    (uintmax_t)got.offset, (uintmax_t)n.offset);
			vt_destroy(got.vt);
		}
		log_reader_close(r);
		vt_destroy(n.vt);
	}
	buf_finish(&file);
	host_finish(&h);
}

int
main(int argc, char **argv)
{
	void *folder = argc == 2 ? argv[1] : NULL;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(
		    every_moment_equals_a_replay_from_byte_0, folder),
		cmocka_unit_test_prestate(
		    a_replay_to_the_end_gives_the_screen_of_the_host, folder),
		cmocka_unit_test_prestate(every_frame_is_shown_to_a_viewer,
		    folder),
		cmocka_unit_test(a_growing_log_is_shown_up_to_its_end),
		cmocka_unit_test(a_keyframe_is_never_far),
		cmocka_unit_test(
		    output_that_the_engine_did_not_see_is_not_shown),
		cmocka_unit_test(
		    raw_mode_shows_nothing_more_until_there_is_an_engine),
		cmocka_unit_test(after_a_gap_the_screen_waits_for_a_keyframe),
		cmocka_unit_test(
		    keyframes_that_cannot_be_restored_are_passed_over),
		cmocka_unit_test(
		    a_keyframe_of_a_newer_engine_is_rebuilt_from_output),
		cmocka_unit_test(
		    a_session_of_a_newer_engine_is_rebuilt_from_its_first_byte),
		cmocka_unit_test(without_a_beginning_a_newer_engine_is_named),
		cmocka_unit_test_prestate(damage_is_never_shown_as_good,
		    folder),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: log_replay FOLDER\n");
		return 2;
	}
	return cmocka_run_group_tests_name("log_replay", tests, NULL, NULL);
}
