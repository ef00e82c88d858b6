/*
 * Logs and manifests on a disk that loses its power.  Whatever unsynced data
 * the disk had written, everything that was synced is there, a reader gives
 * only events that were written and reports holes, and a new writer continues
 * the log.
 */
#include "unit.h"

#include "disk.h"
#include "log_make.h"
#include "session/manifest.h"

#define STEPS 150
#define STATES_A_RUN 50

/* The promises after so many changes of the disk. */
struct promise {
	size_t changes;
	uint64_t synced; /* events up to here */
	uint64_t first;  /* earlier events were trimmed, perhaps all */
};

struct run {
	struct made m;
	struct disk *disk;
	struct promise promises[STEPS + 2];
	size_t promised;
	uint64_t limit; /* of a segment */
	uint8_t bytes[100000];
};

static void
promise(struct run *r, uint64_t synced, uint64_t first)
{
	const struct promise *last = &r->promises[r->promised - 1];

	assert_true(r->promised < STEPS + 2);
	r->promises[r->promised] = (struct promise){ disk_count(r->disk),
		synced > last->synced ? synced : last->synced,
		first > last->first ? first : last->first };
	r->promised++;
}

/* ------------------------------------------------------------ the changes */

static void
do_append(struct run *r, struct rng *rng)
{
	static const struct {
		uint8_t type, flags;
		unsigned most;
	} kinds[] = {
		{ RECORD_OUTPUT, 0, 3000 },
		{ RECORD_OUTPUT, RECORD_FRAME, 200 },
		{ RECORD_OUTPUT, RECORD_FRAME, 30000 },
		{ RECORD_INPUT, 0, 100 },
		{ RECORD_KEYFRAME, 0, 80000 },
	};
	struct log_event ev[3];
	unsigned n = rng_between(rng, 1, 3);
	struct made next = r->m;

	for (unsigned i = 0; i < n; i++) {
		unsigned k = rng_below(rng, 100) < 95 ? rng_below(rng, 4) : 4;
		unsigned from = rng_below(rng, 10000);

		ev[i] = made_next(&next, kinds[k].type, kinds[k].flags,
		    r->bytes + from, 1 + rng_below(rng, kinds[k].most));
		next.seq++;
		next.time_ns = ev[i].time_ns;
		if (ev[i].type == RECORD_OUTPUT)
			next.offset += ev[i].len2;
	}
	assert_int_equal(log_writer_append(r->m.w, ev, n), 0);
	for (unsigned i = 0; i < n; i++)
		made_note(&r->m, &ev[i]);
}

static void
do_sync(struct run *r)
{
	assert_int_equal(log_writer_sync(r->m.w), 0);
	promise(r, r->m.seq, 0);
}

/* Events count as trimmed from the moment when the trim begins. */
static void
do_trim(struct run *r)
{
	size_t at = r->promised;
	uint64_t seq = 0, offset;

	promise(r, 0, 0);
	assert_true(log_writer_trim(r->m.w, 3 * r->limit, &seq, &offset) >= 0);
	if (r->promises[at].first < seq)
		r->promises[at].first = seq;
}

/* The host died and another continues: it synced nothing. */
static void
do_reopen(struct run *r)
{
	made_close(&r->m);
	made_open(&r->m);
	assert_int_equal(r->m.end.seq, r->m.seq);
}

static void
do_step(struct run *r, struct rng *rng)
{
	unsigned roll = rng_below(rng, 100);

	if (log_writer_segment_size(r->m.w) > r->limit)
		made_rotate(&r->m, r->bytes, 1 + rng_below(rng, 20000));
	else if (roll < 70)
		do_append(r, rng);
	else if (roll < 82)
		do_sync(r);
	else if (roll < 92)
		assert_true(log_writer_compress(r->m.w) >= 0);
	else if (roll < 96)
		do_trim(r);
	else
		do_reopen(r);
}

/* Continue the log in r->m, whose events are all synced. */
static void
do_run(struct run *r, struct rng *rng)
{
	made_close(&r->m);
	r->disk = disk_create(r->m.path);
	r->promises[0] = (struct promise){ disk_count(r->disk), r->m.seq,
		r->promises[0].first };
	r->promised = 1;
	r->limit = rng_between(rng, 10000, 60000);
	disk_record(r->disk);
	made_open(&r->m);
	for (int i = 0; i < STEPS; i++)
		do_step(r, rng);
	made_close(&r->m);
	disk_rest(r->disk);
	disk_has_all(r->disk, r->m.path);
}

/* ------------------------------------------------------- after the loss */

static struct promise
promised_at(const struct run *r, size_t changes)
{
	struct promise last = r->promises[0];

	for (size_t i = 0; i < r->promised; i++)
		if (r->promises[i].changes <= changes)
			last = r->promises[i];
	return last;
}

/* The same twin, for another directory. */
static void
after_init(struct made *after, const struct made *m)
{
	*after = *m;
	after->room = m->count + 64;
	after->events = xcalloc(after->room, sizeof(*after->events));
	for (size_t i = 0; i < m->count; i++) {
		after->events[i] = m->events[i];
		after->events[i].p = xmemdup(m->events[i].p, m->events[i].len);
	}
	snprintf(after->path, sizeof(after->path), "/tmp/tend-log-XXXXXX");
	assert_non_null(mkdtemp(after->path));
	after->dirfd = open(after->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void
check_read(const struct made *after, const struct promise *p)
{
	auto_free uint64_t *given = xcalloc(after->count + 2, sizeof(*given));
	struct gone_through g = made_read_with_holes(after, given);

	for (uint64_t seq = p->first; seq <= p->synced; seq++)
		if (seq > 0 && given[seq] != after->events[seq - 1].len)
			fail_msg("seq %ju, of %ju synced: %ju of %zu bytes; "
				 "the log ends with %ju",
			    (uintmax_t)seq, (uintmax_t)p->synced,
			    (uintmax_t)given[seq], after->events[seq - 1].len,
			    (uintmax_t)g.seq);
}

/* Another writer records the cut, and continues. */
static void
go_on(struct made *after, const struct promise *p)
{
	auto_free uint64_t *given = NULL;
	struct gone_through g;
	uint8_t cut[8];

	made_open(after);
	if (after->end.seq < p->synced && p->first <= p->synced)
		fail_msg("%s: a new writer begins behind %ju, %ju was synced",
		    after->path, (uintmax_t)after->end.seq,
		    (uintmax_t)p->synced);
	while (after->count > after->end.seq)
		free(after->events[--after->count].p);
	after->seq = after->end.seq;
	after->offset = after->end.offset;
	after->time_ns = after->end.time_ns;
	put_u64le(cut, after->end.cut);
	made_put(after, RECORD_RECOVERED, 0, cut, sizeof(cut));
	made_put(after, RECORD_OUTPUT, RECORD_FRAME, "again", 5);
	made_rotate(after, "key", 3);
	assert_int_equal(log_writer_sync(after->w), 0);
	made_close(after);
	given = xcalloc(after->count + 2, sizeof(*given));
	g = made_read_with_holes(after, given);
	assert_int_equal(g.seq, after->seq);
	assert_int_equal(g.offset, after->offset);
	assert_int_equal(g.damages, 0);
	for (uint64_t seq = after->end.seq + 1; seq <= after->seq; seq++)
		assert_int_equal(given[seq], after->events[seq - 1].len);
}

/* A moment: any, or just after a change of names or a sync. */
static size_t
pick_moment(const struct run *r, struct rng *rng)
{
	size_t begin = r->promises[0].changes;
	size_t n = disk_count(r->disk) - begin;
	size_t at = begin + rng_below(rng, (unsigned)n + 1);

	if (rng_below(rng, 2) == 0)
		while (at > begin && !disk_is_turn(r->disk, at - 1))
			at--;
	return at;
}

/* Lose power at any moment; *after is the log as continued then. */
static void
lose_power(const struct run *r, struct rng *rng, struct made *after)
{
	size_t at = pick_moment(r, rng);
	struct promise p = promised_at(r, at);

	after_init(after, &r->m);
	disk_lose_power(r->disk, at, rng, after->path);
	check_read(after, &p);
	go_on(after, &p);
}

/* The run continues in the last of the states. */
static void
lose_power_often(struct run *r, struct rng *rng)
{
	struct made after;

	for (int i = 0; i < STATES_A_RUN; i++) {
		if (i > 0)
			made_finish(&after);
		lose_power(r, rng, &after);
	}
	disk_destroy(r->disk);
	made_finish(&r->m);
	r->m = after;
	r->promises[0].first = after.end.seq + 1;
}

static void
synced_events_survive_a_loss_of_power(void **state)
{
	unsigned runs = dose(2, 50);

	(void)state;
	for (unsigned seed = 0; seed < runs; seed++) {
		struct rng rng = { seed };
		struct run r = { .promised = 0 };

		print_message("seed %u\n", seed);
		for (size_t i = 0; i < sizeof(r.bytes); i++)
			r.bytes[i] = (uint8_t)rng_next(&rng);
		made_init(&r.m);
		for (int i = 0; i < 2; i++) {
			do_run(&r, &rng);
			lose_power_often(&r, &rng);
		}
		made_finish(&r.m);
	}
}

/* -------------------------------------------------------------- manifests */

/* Manifest number `n`; its size shows the number. */
static void
write_manifest(int dirfd, int n, bool sync)
{
	char *command[] = { (char[]){ "cat" }, NULL };
	struct manifest m;

	manifest_init(&m);
	snprintf(m.id, sizeof(m.id), "01ARZ3NDEKTSV4RRFFQ69G5FAV");
	snprintf(m.name, sizeof(m.name), "cat");
	m.command = command;
	m.cwd = (char[]){ "/" };
	m.cols = (uint16_t)(80 + n);
	m.rows = 24;
	assert_int_equal(manifest_write(dirfd, &m, sync, NULL), 0);
}

/*
 * The manifest that is there after some of the changes; -1: none was synced.
 */
static int
manifest_left(const struct disk *disk, size_t at, struct rng *rng)
{
	char path[] = "/tmp/tend-power-XXXXXX";
	struct error err = { 0 };
	struct manifest m;
	int dirfd, rc, n;

	assert_non_null(mkdtemp(path));
	dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	disk_lose_power(disk, at, rng, path);
	rc = manifest_read(dirfd, &m, &err);
	if (rc < 0 && rc != -ENOENT)
		fail_msg("after %zu changes: %s", at, err.msg);
	n = rc < 0 ? -1 : m.cols - 80;
	manifest_finish(&m);
	fd_close(&dirfd);
	made_empty(path);
	assert_int_equal(rmdir(path), 0);
	return n;
}

static void
a_manifest_is_whole_after_a_loss_of_power(void **state)
{
	char path[] = "/tmp/tend-power-XXXXXX";
	unsigned tries = dose(100, 2000);
	struct rng rng = { 7 };
	struct {
		size_t changes;
		bool synced;
	} written[40];
	struct disk *disk;
	int dirfd;

	(void)state;
	assert_non_null(mkdtemp(path));
	dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	write_manifest(dirfd, 0, true);
	disk = disk_create(path);
	disk_record(disk);
	written[0].changes = disk_count(disk);
	written[0].synced = true;
	for (int n = 1; n < 40; n++) {
		written[n].synced = rng_below(&rng, 4) == 0;
		write_manifest(dirfd, n, written[n].synced);
		written[n].changes = disk_count(disk);
	}
	disk_rest(disk);
	disk_has_all(disk, path);
	for (unsigned i = 0; i < tries; i++) {
		size_t begin = written[0].changes;
		size_t at = begin +
		    rng_below(&rng, (unsigned)(disk_count(disk) - begin) + 1);
		int n = manifest_left(disk, at, &rng), least = 0;

		for (int k = 0; k < 40 && written[k].changes <= at; k++)
			least = written[k].synced ? k : least;
		if (n < least)
			fail_msg("manifest %d, but %d was synced", n, least);
	}
	disk_destroy(disk);
	fd_close(&dirfd);
	made_empty(path);
	assert_int_equal(rmdir(path), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synced_events_survive_a_loss_of_power),
		cmocka_unit_test(a_manifest_is_whole_after_a_loss_of_power),
	};

	return cmocka_run_group_tests_name("log_power", tests, NULL, NULL);
}
