/*
 * Logs that were cut, changed and forged.  Whatever happens to the files, a
 * reader gives only events that were written, loses no more than the format
 * allows, and reports every hole.
 */
#include "unit.h"

#include "log_make.h"
#include "../rng.h"

/* The places of events in a segment. */
struct part {
	uint64_t at, end;
	uint64_t seq;
	uint64_t offset; /* of the next output byte */
	uint8_t type;
	bool whole; /* no partial event follows it */
};

struct map {
	struct part *parts;
	size_t count;
};

static struct map
map_of(const struct made *m, uint32_t number)
{
	struct segment_cursor c;
	struct map map = { 0 };
	struct segment s;
	struct record r;

	assert_int_equal(segment_open(&s, m->dirfd, number), 0);
	segment_begin(&s, &c);
	for (;;) {
		uint64_t at = c.at;

		if (segment_next(&s, &c, &r) != RECORD_VALID)
			break;
		map.parts = xrealloc(map.parts, map.count + 1,
		    sizeof(*map.parts));
		map.parts[map.count++] = (struct part){ at, c.at, c.seq,
			c.offset, r.type,
			c.open == 0 || c.open == RECORD_OUTPUT };
	}
	segment_close(&s);
	return map;
}

/* Some of everything; `bytes` of it. */
static void
fill(struct made *m, struct rng *rng, uint64_t bytes)
{
	uint64_t end = log_writer_segment_size(m->w) + bytes;
	uint8_t p[100000];

	for (size_t i = 0; i < sizeof(p); i++)
		p[i] = (uint8_t)rng_next(rng);
	while (log_writer_segment_size(m->w) < end) {
		unsigned roll = rng_below(rng, 100);
		size_t len = rng_below(rng, 900);

		if (roll == 0)
			made_put(m, RECORD_KEYFRAME, 0, p, 1000 + 30 * len);
		else if (roll < 3)
			made_put(m, RECORD_OUTPUT, RECORD_FRAME, p, 50 * len);
		else if (roll < 20)
			made_put(m, RECORD_INPUT, 0, p, len);
		else
			made_put(m, RECORD_OUTPUT, 0, p, len);
	}
}

/* The last thing that a file cut at `cut` still has whole. */
static const struct part *
last_before(const struct map *map, uint64_t cut)
{
	const struct part *last = NULL;

	for (size_t i = 0; i < map->count && map->parts[i].end <= cut; i++)
		if (map->parts[i].whole)
			last = &map->parts[i];
	return last;
}

static void
check_cut(const struct made *m, const struct map *map, uint64_t cut)
{
	const struct part *last = last_before(map, cut);
	uint64_t end = last != NULL ? last->end : SEGMENT_RECORDS;
	struct gone_through g = made_read(m);
	bool torn = cut < SEGMENT_HEADER || cut > end;

	if (g.end != LOG_END || g.damages != torn ||
	    (torn && !g.damage[0].torn) ||
	    g.seq != (last != NULL ? last->seq : 0) ||
	    g.offset != (last != NULL ? last->offset : 0))
		fail_msg("cut at %ju: end %d, %zu damages, seq %ju, offset %ju",
		    (uintmax_t)cut, g.end, g.damages, (uintmax_t)g.seq,
		    (uintmax_t)g.offset);
}

/* True if this cut is tried in a small run: near borders, and some others. */
static bool
try_cut(const struct map *map, uint64_t cut, struct rng *rng)
{
	const struct part *last = last_before(map, cut);

	return cut < 300 || rng_below(rng, 100) < dose(0, 100) ||
	    rng_below(rng, 200) == 0 ||
	    (last != NULL && cut - last->end < 2 && rng_below(rng, 4) == 0);
}

static void
a_log_cut_at_any_byte_ends_with_its_last_whole_event(void **state)
{
	struct rng rng = { 3 };
	struct made m;
	struct map map;
	struct buf file;

	(void)state;
	made_init(&m);
	fill(&m, &rng, full_doses() ? 150000 : 300000);
	made_close(&m);
	map = map_of(&m, 1);
	file = made_file(&m, 1, SEGMENT_PLAIN);
	for (uint64_t cut = file.len; cut-- > 0;) {
		char path[128];

		if (!try_cut(&map, cut, &rng))
			continue;
		snprintf(path, sizeof(path), "%s/00000001.seg", m.path);
		assert_int_equal(truncate(path, (off_t)cut), 0);
		check_cut(&m, &map, cut);
	}
	buf_finish(&file);
	free(map.parts);
	made_finish(&m);
}

/* The events from this one on were cut. */
static void
forget_from(struct made *m, uint64_t seq)
{
	while (m->count >= seq)
		free(m->events[--m->count].p);
}

/* Open the cut log, record the cut in it, and read both. */
static void
check_recovery(struct made *m, const struct map *map, uint64_t cut)
{
	const struct part *last = last_before(map, cut);
	struct made again = *m;
	struct gone_through g;
	struct log_event ev;
	uint8_t payload[8];

	made_open(&again);
	assert_int_equal(again.end.seq, last != NULL ? last->seq : 0);
	assert_int_equal(again.end.offset, last != NULL ? last->offset : 0);
	assert_int_equal(again.end.cut, cut - (last != NULL ? last->end : 0));
	put_u64le(payload, again.end.cut);
	again.seq = again.end.seq;
	again.offset = again.end.offset;
	again.time_ns = again.end.time_ns;
	ev = made_next(&again, RECORD_RECOVERED, 0, payload, sizeof(payload));
	assert_int_equal(log_writer_append(again.w, &ev, 1), 0);
	forget_from(m, ev.seq);
	made_note(m, &ev);
	log_writer_close(again.w);
	g = made_read(m);
	assert_int_equal(g.end, LOG_END);
	assert_int_equal(g.damages, 0);
	assert_int_equal(g.seq, ev.seq);
}

static void
a_torn_log_is_cut_and_continued(void **state)
{
	unsigned tries = dose(60, 2000);
	struct rng rng = { 4 };

	(void)state;
	for (unsigned i = 0; i < tries; i++) {
		struct made m;
		struct map map;
		struct buf file;
		uint64_t cut;

		made_init(&m);
		fill(&m, &rng, 5000 + rng_below(&rng, 90000));
		made_close(&m);
		map = map_of(&m, 1);
		file = made_file(&m, 1, SEGMENT_PLAIN);
		cut = i < 3 ? i * 64 : rng_below(&rng, (unsigned)file.len);
		made_write_file(&m, 1, SEGMENT_PLAIN, file.data, cut);
		check_recovery(&m, &map, cut);
		buf_finish(&file);
		free(map.parts);
		made_finish(&m);
	}
}

static void
same_damage(const struct log_damage *got, const struct log_damage *want)
{
	assert_int_equal(got->seq_from, want->seq_from);
	assert_int_equal(got->seq_to, want->seq_to);
	assert_int_equal(got->offset_from, want->offset_from);
	assert_int_equal(got->offset_to, want->offset_to);
	assert_int_equal(got->torn, want->torn);
	assert_int_equal(got->trimmed, want->trimmed);
}

static void
the_loss_from_a_cut_sealed_segment_is_reported(void **state)
{
	unsigned tries = dose(300, 5000);
	struct rng rng = { 5 };
	struct made m;
	struct map map;
	struct buf file;
	uint64_t seq, offset;

	(void)state;
	made_init(&m);
	fill(&m, &rng, 200000);
	seq = m.seq;
	offset = m.offset;
	made_rotate(&m, "key", 3);
	fill(&m, &rng, 10000);
	made_close(&m);
	map = map_of(&m, 1);
	file = made_file(&m, 1, SEGMENT_PLAIN);
	for (unsigned i = 0; i < tries; i++) {
		uint64_t cut = rng_below(&rng, (unsigned)file.len);
		const struct part *last = last_before(&map, cut);
		struct log_damage want = { .seq_to = seq + 1,
			.offset_to = offset };
		struct gone_through g;

		if (last != NULL) {
			want.seq_from = last->seq;
			want.offset_from = last->offset;
		}
		made_write_file(&m, 1, SEGMENT_PLAIN, file.data, cut);
		g = made_read(&m);
		assert_int_equal(g.end, LOG_END);
		assert_int_equal(g.seq, m.seq);
		/*
		 * Nothing is missing if every part is there and only their end
		 * was cut.
		 */
		if (want.seq_from == seq && want.offset_from == offset)
			continue;
		assert_int_equal(g.damages, 1);
		same_damage(&g.damage[0], &want);
	}
	buf_finish(&file);
	free(map.parts);
	made_finish(&m);
}

/* ------------------------------------------------------------- changed bytes */

/* A log of three segments, the first compressed, and what is in them. */
struct target {
	struct made m;
	struct buf files[3];
	struct map maps[3];
	uint64_t *given; /* per event: bytes that were read of it */
};

static void
target_init(struct target *t, unsigned bytes)
{
	struct rng rng = { 6 };

	made_init(&t->m);
	fill(&t->m, &rng, 4 * bytes); /* of several blocks */
	made_rotate(&t->m, "key", 3);
	fill(&t->m, &rng, bytes);
	made_rotate(&t->m, "key", 3);
	fill(&t->m, &rng, bytes);
	for (uint32_t i = 0; i < 3; i++)
		t->maps[i] = map_of(&t->m, i + 1);
	assert_int_equal(log_writer_compress(t->m.w), 1);
	made_close(&t->m);
	for (uint32_t i = 0; i < 3; i++)
		t->files[i] = made_file(&t->m, i + 1,
		    i == 0 ? SEGMENT_COMPRESSED : SEGMENT_PLAIN);
	t->given = xcalloc(t->m.count + 2, sizeof(*t->given));
}

static void
target_finish(struct target *t)
{
	for (int i = 0; i < 3; i++) {
		buf_finish(&t->files[i]);
		free(t->maps[i].parts);
	}
	free(t->given);
	made_finish(&t->m);
}

/* Read everything; without the last event, the end is torn. */
static void
read_with_holes(struct target *t)
{
	struct gone_through g = made_read_with_holes(&t->m, t->given);

	if (g.seq != t->m.seq)
		assert_true(g.damage[0].torn);
}

/* The places of segment i in which events may be lost: [*from, *to). */
static void
may_be_lost(const struct target *t, int i, uint64_t at, uint64_t *from,
    uint64_t *to)
{
	const struct map *map = &t->maps[i];
	bool hit = false;

	*from = *to = 0;
	for (size_t k = 0; k < map->count; k++) {
		const struct part *p = &map->parts[k];

		if (at >= p->at && at < p->end) {
			*from = p->at;
			hit = true;
		}
		if (hit && p->type == RECORD_SYNC && p->at > at)
			break;
		if (hit)
			*to = p->end;
	}
}

/* The same when a byte of the compressed file was hit: the block around it. */
static void
block_may_be_lost(const struct target *t, uint64_t at, uint64_t *from,
    uint64_t *to)
{
	const uint8_t *p = t->files[0].data;
	uint64_t pos = SEGMENT_RECORDS, len;

	*from = *to = 0;
	for (; pos <= at && pos < t->files[0].len; pos += len) {
		len = SEGMENT_BLOCK_HEADER + get_u32le(p + pos + 8);
		*from = get_u64le(p + pos + 16);
		*to = *from + get_u32le(p + pos + 4);
	}
}

/* Only events with a part in [from, to) of segment i are missing. */
static void
check_loss(const struct target *t, int i, uint64_t from, uint64_t to)
{
	const struct map *map = &t->maps[i];
	auto_free bool *excused = xcalloc(t->m.count + 2, sizeof(*excused));

	for (size_t k = 0; k < map->count; k++)
		if (map->parts[k].at >= from && map->parts[k].end <= to)
			excused[map->parts[k].seq] = true;
	for (uint64_t seq = 1; seq <= t->m.seq; seq++)
		if (t->given[seq] != t->m.events[seq - 1].len && !excused[seq])
			fail_msg("seq %ju: %ju of %zu bytes, loss is from "
				 "%ju to %ju of segment %d",
			    (uintmax_t)seq, (uintmax_t)t->given[seq],
			    t->m.events[seq - 1].len, (uintmax_t)from,
			    (uintmax_t)to, i + 1);
}

static int
target_fd(const struct target *t, int i)
{
	char name[SEGMENT_NAME_MAX];
	int fd;

	segment_name(name, (uint32_t)i + 1,
	    i == 0 ? SEGMENT_COMPRESSED : SEGMENT_PLAIN);
	fd = openat(t->m.dirfd, name, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void
a_flipped_bit_loses_events_only_up_to_the_next_sync(void **state)
{
	unsigned flips = dose(1500, 50000);
	struct rng rng = { 7 };
	struct target t;

	(void)state;
	target_init(&t, full_doses() ? 150000 : 400000);
	for (unsigned n = 0; n < flips; n++) {
		int i = (int)rng_below(&rng, 3);
		uint64_t at = rng_below(&rng, (unsigned)t.files[i].len);
		uint8_t was = t.files[i].data[at];
		uint8_t is = was ^ (uint8_t)(1u << rng_below(&rng, 8));
		auto_close int fd = target_fd(&t, i);
		uint64_t from, to;

		assert_int_equal(pwrite(fd, &is, 1, (off_t)at), 1);
		read_with_holes(&t);
		if (i == 0)
			block_may_be_lost(&t, at, &from, &to);
		else
			may_be_lost(&t, i, at, &from, &to);
		check_loss(&t, i, from, to);
		assert_int_equal(pwrite(fd, &was, 1, (off_t)at), 1);
	}
	read_with_holes(&t);
	check_loss(&t, 0, 0, 0);
	target_finish(&t);
}

/* Any bytes over any place, of any length: zeros, noise, or other pages. */
static void
an_overwritten_log_gives_no_wrong_event(void **state)
{
	unsigned tries = dose(300, 5000);
	struct rng rng = { 8 };
	struct target t;

	(void)state;
	target_init(&t, 200000);
	for (unsigned n = 0; n < tries; n++) {
		int i = (int)rng_below(&rng, 3), from = (int)rng_below(&rng, 3);
		struct buf *f = &t.files[i], *g = &t.files[from];
		uint64_t at = rng_below(&rng, (unsigned)f->len);
		uint64_t there = rng_below(&rng, (unsigned)g->len);
		size_t len = rng_below(&rng, 20000);
		auto_close int fd = target_fd(&t, i);
		auto_free uint8_t *p = xcalloc(len + 1, 1);

		len = len < f->len - at ? len : f->len - at;
		if (n % 3 == 1)
			for (size_t k = 0; k < len; k++)
				p[k] = (uint8_t)rng_next(&rng);
		if (n % 3 == 2) {
			len = len < g->len - there ? len : g->len - there;
			memcpy(p, g->data + there, len);
		}
		assert_int_equal(pwrite(fd, p, len, (off_t)at), len);
		read_with_holes(&t);
		assert_int_equal(pwrite(fd, f->data + at, len, (off_t)at), len);
	}
	target_finish(&t);
}

static void
either_copy_of_the_header_is_enough(void **state)
{
	struct target t;

	(void)state;
	target_init(&t, 70000);
	for (int i = 0; i < 3; i++) {
		auto_close int fd = target_fd(&t, i);
		static const uint8_t zeros[SEGMENT_HEADER];

		for (int copy = 0; copy < 2; copy++) {
			assert_int_equal(pwrite(fd, zeros, SEGMENT_HEADER,
					     copy * SEGMENT_HEADER),
			    SEGMENT_HEADER);
			read_with_holes(&t);
			check_loss(&t, 0, 0, 0);
			assert_int_equal(pwrite(fd, t.files[i].data,
					     SEGMENT_RECORDS, 0),
			    SEGMENT_RECORDS);
		}
	}
	target_finish(&t);
}

static void
a_segment_without_a_header_is_lost_alone(void **state)
{
	struct target t;

	(void)state;
	target_init(&t, 70000);
	for (int i = 0; i < 3; i++) {
		auto_close int fd = target_fd(&t, i);
		static const uint8_t zeros[SEGMENT_RECORDS];

		assert_int_equal(pwrite(fd, zeros, SEGMENT_RECORDS, 0),
		    SEGMENT_RECORDS);
		read_with_holes(&t);
		check_loss(&t, i, 0, UINT64_MAX);
		assert_int_equal(t.given[t.maps[i].parts[0].seq], 0);
		assert_int_equal(pwrite(fd, t.files[i].data, SEGMENT_RECORDS,
				     0),
		    SEGMENT_RECORDS);
	}
	target_finish(&t);
}

static void
a_missing_segment_is_a_hole(void **state)
{
	struct gone_through g;
	struct target t;

	(void)state;
	target_init(&t, 70000);
	assert_int_equal(unlinkat(t.m.dirfd, "00000002.seg", 0), 0);
	read_with_holes(&t);
	check_loss(&t, 1, 0, UINT64_MAX);
	assert_int_equal(unlinkat(t.m.dirfd, "00000001.zseg", 0), 0);
	g = made_read(&t.m);
	assert_int_equal(g.damages, 1);
	assert_false(g.damage[0].trimmed);
	assert_true(g.damage[0].gone);
	assert_int_equal(g.damage[0].seq_from, 0);
	assert_int_equal(g.damage[0].seq_to, t.maps[2].parts[0].seq);
	assert_int_equal(g.first, t.maps[2].parts[0].seq);
	/* The log of an older tend does not say why the segment is missing. */
	assert_int_equal(unlinkat(t.m.dirfd, "begin", 0), 0);
	g = made_read(&t.m);
	assert_int_equal(g.damages, 1);
	assert_true(g.damage[0].trimmed);
	target_finish(&t);
}

/* A trimmed log whose oldest remaining segment is lost. */
static void
trimmed_events_are_distinguished_from_lost_ones(void **state)
{
	uint64_t first[5] = { 0 }, seq, offset;
	struct gone_through g;
	struct made m;

	(void)state;
	made_init(&m);
	made_put(&m, RECORD_START, 0, "{}", 2);
	for (int i = 1; i < 5; i++) {
		made_put(&m, RECORD_OUTPUT, 0, "0123456789", 10);
		made_rotate(&m, "key", 3);
		first[i] = m.seq;
	}
	made_put(&m, RECORD_OUTPUT, 0, "0123456789", 10);
	assert_int_equal(log_writer_trim(m.w, log_writer_bytes(m.w) - 1, &seq,
			     &offset),
	    1);
	made_close(&m);
	g = made_read(&m);
	assert_int_equal(g.damages, 1);
	same_damage(&g.damage[0],
	    &(struct log_damage){ .seq_to = first[1],
		.offset_to = 10,
		.trimmed = true });
	assert_int_equal(unlinkat(m.dirfd, "00000002.seg", 0), 0);
	g = made_read(&m);
	assert_int_equal(g.damages, 2);
	same_damage(&g.damage[0],
	    &(struct log_damage){ .seq_to = first[1],
		.offset_to = 10,
		.trimmed = true });
	same_damage(&g.damage[1],
	    &(struct log_damage){ .seq_from = first[1] - 1,
		.seq_to = first[2],
		.offset_from = 10,
		.offset_to = 20 });
	/* A later host does not turn the loss into a trim. */
	made_open(&m);
	made_close(&m);
	assert_int_equal(made_read(&m).damages, 2);
	made_finish(&m);
}

static void
zeros_at_the_end_are_torn_and_are_cut(void **state)
{
	static const size_t lens[] = { 1, 27, 28, 4096, 70000, 1 << 20 };

	(void)state;
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		struct rng rng = { 9 };
		struct gone_through g;
		char path[128];
		struct made m;
		struct buf b;

		made_init(&m);
		fill(&m, &rng, 100000);
		made_close(&m);
		b = made_file(&m, 1, SEGMENT_PLAIN);
		snprintf(path, sizeof(path), "%s/00000001.seg", m.path);
		assert_int_equal(truncate(path, (off_t)(b.len + lens[i])), 0);
		g = made_read(&m);
		assert_int_equal(g.end, LOG_END);
		assert_int_equal(g.seq, m.seq);
		assert_int_equal(g.damages, 1);
		assert_true(g.damage[0].torn);
		made_open(&m);
		assert_int_equal(m.end.cut, lens[i]);
		assert_int_equal(m.end.seq, m.seq);
		made_reads_back(&m, 1);
		buf_finish(&b);
		made_finish(&m);
	}
}

/* ------------------------------------------------------------------- forging */

/*
 * The program prints the bytes of its own log, so that the records in them,
 * syncs included, come to lie where records and syncs may begin.
 */
static void
print_own_log(struct made *m)
{
	struct buf file = made_file(m, 1, SEGMENT_PLAIN);
	uint64_t at = log_writer_segment_size(m->w);
	/* Header and offset of the output come first. */
	uint64_t begin = at + RECORD_HEADER + PAYLOAD_OFFSET_SIZE;
	size_t shift = (size_t)((0 - begin) % RECORD_SYNC_ALIGN);
	uint8_t fill_up[RECORD_SYNC_ALIGN] = { 0 };
	struct buf out;

	buf_init(&out, SIZE_MAX);
	buf_append(&out, fill_up, shift);
	buf_append(&out, file.data, file.len);
	made_put(m, RECORD_OUTPUT, 0, out.data, out.len);
	buf_finish(&out);
	buf_finish(&file);
}

static void
records_that_a_program_prints_are_ignored(void **state)
{
	unsigned tries = dose(300, 5000);
	struct rng rng = { 10 };
	struct buf file;
	struct made m;
	uint64_t from;
	auto_close int fd = -1;

	(void)state;
	made_init(&m);
	fill(&m, &rng, 100000);
	from = log_writer_segment_size(m.w);
	for (int i = 0; i < 4; i++)
		print_own_log(&m);
	made_put(&m, RECORD_MARK, 0, "end", 3);
	made_close(&m);
	file = made_file(&m, 1, SEGMENT_PLAIN);
	fd = openat(m.dirfd, "00000001.seg", O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	for (unsigned n = 0; n < tries; n++) {
		uint64_t at = n == 0 ?
		    from + 4 :
		    from + rng_below(&rng, (unsigned)(file.len - from));
		uint8_t is = file.data[at] ^ 0x10;

		assert_int_equal(pwrite(fd, &is, 1, (off_t)at), 1);
		/* made_read fails on an event that was not appended. */
		made_read(&m);
		assert_int_equal(pwrite(fd, &file.data[at], 1, (off_t)at), 1);
	}
	buf_finish(&file);
	made_finish(&m);
}

static void
records_of_another_segment_are_ignored(void **state)
{
	struct rng rng = { 11 };
	struct gone_through g;
	struct buf one, two;
	struct made m;
	uint64_t seq;

	(void)state;
	made_init(&m);
	fill(&m, &rng, 200000);
	seq = m.seq;
	made_rotate(&m, "key", 3);
	fill(&m, &rng, 200000);
	made_close(&m);
	one = made_file(&m, 1, SEGMENT_PLAIN);
	two = made_file(&m, 2, SEGMENT_PLAIN);
	/* The second gets all records of the first, in their places. */
	memcpy(one.data, two.data, SEGMENT_RECORDS);
	made_write_file(&m, 2, SEGMENT_PLAIN, one.data, one.len);
	g = made_read(&m);
	assert_int_equal(g.seq, seq);
	assert_int_equal(g.end, LOG_END);
	/* A file under the name of another segment gives nothing. */
	made_write_file(&m, 3, SEGMENT_PLAIN, two.data, two.len);
	g = made_read(&m);
	assert_int_equal(g.seq, seq);
	buf_finish(&one);
	buf_finish(&two);
	made_finish(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_log_cut_at_any_byte_ends_with_its_last_whole_event),
		cmocka_unit_test(a_torn_log_is_cut_and_continued),
		cmocka_unit_test(
		    the_loss_from_a_cut_sealed_segment_is_reported),
		cmocka_unit_test(
		    a_flipped_bit_loses_events_only_up_to_the_next_sync),
		cmocka_unit_test(an_overwritten_log_gives_no_wrong_event),
		cmocka_unit_test(either_copy_of_the_header_is_enough),
		cmocka_unit_test(a_segment_without_a_header_is_lost_alone),
		cmocka_unit_test(a_missing_segment_is_a_hole),
		cmocka_unit_test(
		    trimmed_events_are_distinguished_from_lost_ones),
		cmocka_unit_test(zeros_at_the_end_are_torn_and_are_cut),
		cmocka_unit_test(records_that_a_program_prints_are_ignored),
		cmocka_unit_test(records_of_another_segment_are_ignored),
	};

	return cmocka_run_group_tests_name("log_damage", tests, NULL, NULL);
}
