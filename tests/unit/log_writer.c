#include "unit.h"

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>

#include "log_make.h"
#include "../rng.h"

static uint8_t *
noise(struct rng *rng, size_t len)
{
	uint8_t *p = xmalloc(len + 1);

	for (size_t i = 0; i < len; i++)
		p[i] = (uint8_t)(rng_next(rng) >> (i % 3 == 0 ? 3 : 60));
	return p;
}

static void
events_are_read_back_as_they_were_appended(void **state)
{
	struct rng rng = { 1 };
	struct made m;

	(void)state;
	made_init(&m);
	assert_int_equal(m.end.seq, 0);
	made_put(&m, RECORD_START, 0, "{}", 2);
	made_put(&m, RECORD_KEYFRAME, RECORD_FULL, "kkkk", 4);
	for (size_t len = 0; len < 300000; len = len * 3 + 1) {
		auto_free uint8_t *p = noise(&rng, len);

		made_put(&m, RECORD_OUTPUT, RECORD_FRAME, p, len);
		made_put(&m, RECORD_OUTPUT, RECORD_HIDDEN, p, len);
		made_put(&m, RECORD_KEYFRAME, 0, p, len);
		made_put(&m, RECORD_MARK, 0, "a mark here", 5 + len % 7);
		made_put(&m, 200, 0, p, len); /* a type to come */
	}
	made_reads_back(&m, 1);
	made_close(&m);
	made_reads_back(&m, 1);
	made_finish(&m);
}

/* Syncs are where the format puts them, and the segment has nothing else. */
static void
a_sync_comes_every_64_kib(void **state)
{
	struct rng rng = { 2 };
	struct segment_cursor c;
	struct segment s;
	struct record r;
	struct made m;
	uint64_t last = 0;
	size_t syncs = 0;

	(void)state;
	made_init(&m);
	for (int i = 0; i < 3000; i++) {
		size_t len = rng_below(&rng, 1500);
		auto_free uint8_t *p = noise(&rng, len);

		made_put(&m, rng_below(&rng, 3) ? RECORD_OUTPUT : RECORD_MARK,
		    0, p, len);
	}
	assert_int_equal(segment_open(&s, m.dirfd, 1), 0);
	segment_begin(&s, &c);
	for (;;) {
		uint64_t at = c.at;

		if (segment_next(&s, &c, &r) != RECORD_VALID)
			break;
		assert_true(r.len <= RECORD_PAYLOAD_MAX);
		if (r.type != RECORD_SYNC)
			continue;
		assert_int_equal(at % RECORD_SYNC_ALIGN, 0);
		assert_in_range(at - last, 1, RECORD_SYNC_EVERY + RECORD_MAX);
		last = at;
		syncs++;
	}
	assert_int_equal(c.at, segment_end(&s));
	assert_true(segment_end(&s) - last <= RECORD_SYNC_EVERY + RECORD_MAX);
	assert_true(syncs > 20);
	segment_close(&s);
	made_finish(&m);
}

static int
append_random(struct made *m, struct rng *rng)
{
	struct log_event ev[40];
	uint8_t *bytes[40];
	size_t n = rng_between(rng, 1, 40);
	struct made then = *m;

	for (size_t i = 0; i < n; i++) {
		static const uint8_t types[] = { RECORD_OUTPUT, RECORD_OUTPUT,
			RECORD_MARK, RECORD_KEYFRAME, RECORD_INPUT, 99 };
		size_t len = rng_below(rng,
		    rng_below(rng, 40) == 0 ? 200000 : 700);
		uint8_t type = types[rng_below(rng, 6)];
		size_t cut = type == RECORD_OUTPUT ?
		    0 :
		    rng_below(rng, (unsigned)len + 1);

		bytes[i] = noise(rng, len);
		ev[i] = made_next(&then, type, 0, bytes[i] + cut, len - cut);
		ev[i].p1 = bytes[i];
		ev[i].len1 = cut;
		if (type == RECORD_OUTPUT && rng_below(rng, 2))
			ev[i].flags = RECORD_FRAME;
		then.seq = ev[i].seq;
		then.time_ns = ev[i].time_ns;
		if (type == RECORD_OUTPUT)
			then.offset += len;
	}
	int rc = log_writer_segment_size(m->w) > 1 << 20 ?
	    log_writer_rotate(m->w, ev, n) :
	    log_writer_append(m->w, ev, n);

	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			made_note(m, &ev[i]);
		free(bytes[i]);
	}
	return rc;
}

static void
reopen(struct made *m)
{
	made_close(m);
	made_open(m);
	assert_int_equal(m->end.seq, m->seq);
	assert_int_equal(m->end.offset, m->offset);
	assert_int_equal(m->end.time_ns, m->time_ns);
	assert_int_equal(m->end.cut, 0);
}

static uint64_t
bytes_on_disk(const struct made *m)
{
	struct log_reader *r = made_reader(m->dirfd);
	struct log_extent extent;

	assert_int_equal(log_reader_extent(r, &extent), 0);
	log_reader_close(r);
	assert_int_equal(extent.last_seq, m->seq);
	assert_int_equal(extent.end_offset, m->offset);
	assert_int_equal(extent.last_time_ns, m->time_ns);
	assert_int_equal(extent.being_written, m->w != NULL);
	return extent.bytes;
}

static void
do_something(struct made *m, struct rng *rng, uint64_t *first)
{
	uint64_t offset;

	switch (rng_below(rng, 12)) {
	case 0:
		reopen(m);
		break;
	case 1:
		assert_in_range(log_writer_compress(m->w), 0, 1);
		break;
	case 2:
		assert_int_equal(log_writer_sync(m->w), 0);
		break;
	case 3:
		if (rng_below(rng, 4) == 0)
			assert_true(log_writer_trim(m->w, 3 << 20, first,
					&offset) >= 0);
		break;
	default:
		assert_int_equal(append_random(m, rng), 0);
	}
	assert_int_equal(bytes_on_disk(m), log_writer_bytes(m->w));
}

static void
a_log_behaves_as_a_list_of_events(void **state)
{
	unsigned rounds = dose(4, 40);

	(void)state;
	for (unsigned seed = 0; seed < rounds; seed++) {
		struct rng rng = { 100 + seed };
		uint64_t first = 1;
		struct made m;

		made_init(&m);
		append_random(&m, &rng);
		for (int i = 0; i < 250; i++)
			do_something(&m, &rng, &first);
		made_reads_back(&m, first);
		made_finish(&m);
	}
}

/* ----------------------------------------------------- a disk that fails */

/* System calls that work until the test makes them fail. */
struct disk {
	struct log_io io;
	uint64_t room;  /* bytes that may still be written */
	size_t at_once; /* of one call */
	int full_errno; /* when there is no room */
	int truncate_errno, sync_errno, sync_dir_errno, rename_errno;
	int writes;
	void (*before_truncate)(struct disk *disk);
	void *arg;
};

static ssize_t
disk_writev(void *arg, int fd, const struct iovec *iov, int n, off_t at)
{
	struct disk *d = arg;
	size_t max = d->room < d->at_once ? (size_t)d->room : d->at_once;
	struct iovec some[IOV_MAX];
	int used = 0;
	ssize_t done;

	d->writes++;
	for (; used < n && max > 0; used++) {
		some[used] = iov[used];
		if (some[used].iov_len > max)
			some[used].iov_len = max;
		max -= some[used].iov_len;
	}
	if (d->room == 0) {
		errno = d->full_errno;
		return -1;
	}
	done = pwritev(fd, some, used, at);
	d->room -= done > 0 ? (uint64_t)done : 0;
	return done;
}

static int
fails(int why)
{
	errno = why;
	return why != 0 ? -1 : 0;
}

static int
disk_truncate(void *arg, int fd, off_t len)
{
	struct disk *d = arg;

	if (d->before_truncate != NULL)
		d->before_truncate(d);
	return fails(d->truncate_errno) < 0 ? -1 : ftruncate(fd, len);
}

static int
disk_sync(void *arg, int fd)
{
	struct disk *d = arg;

	return fails(d->sync_errno) < 0 ? -1 : fdatasync(fd);
}

static int
disk_sync_dir(void *arg, int fd)
{
	struct disk *d = arg;

	return fails(d->sync_dir_errno) < 0 ? -1 : fsync(fd);
}

static int
disk_rename(void *arg, int dirfd, const char *from, const char *to)
{
	struct disk *d = arg;

	return fails(d->rename_errno) < 0 ? -1 :
					    renameat(dirfd, from, dirfd, to);
}

static void
disk_works(struct disk *d)
{
	*d = (struct disk){
		.io = { disk_writev, disk_truncate, disk_sync, disk_sync_dir,
		    disk_rename, d },
		.room = UINT64_MAX,
		.at_once = SIZE_MAX,
		.full_errno = ENOSPC,
	};
}

/* No file is left that is neither a segment nor `begin`. */
static void
nothing_is_left_over(const struct made *m)
{
	DIR *dir = opendir(m->path);
	enum segment_kind kind;
	struct dirent *e;

	assert_non_null(dir);
	while ((e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.' && strcmp(e->d_name, "begin") != 0 &&
		    (segment_number(e->d_name, &kind) == 0 ||
			kind == SEGMENT_TEMPORARY))
			fail_msg("%s is left over", e->d_name);
	closedir(dir);
}

static void
events_of_a_turn_are_one_write(void **state)
{
	struct log_event ev[80];
	struct disk disk;
	struct made m;

	(void)state;
	disk_works(&disk);
	made_init_with(&m, &disk.io);
	made_put(&m, RECORD_START, 0, "{}", 2);
	for (size_t i = 0; i < 80; i++) {
		ev[i] = made_next(&m, RECORD_OUTPUT, 0, "0123456789", 10);
		made_note(&m, &ev[i]);
	}
	disk.writes = 0;
	assert_int_equal(log_writer_append(m.w, ev, 80), 0);
	assert_int_equal(disk.writes, 1);
	made_reads_back(&m, 1);
	made_finish(&m);
}

static void
short_writes_are_finished(void **state)
{
	static const size_t sizes[] = { 1, 7, 28, 100, 4096 };
	struct rng rng = { 20 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct disk disk;
		struct made m;

		disk_works(&disk);
		disk.at_once = sizes[i];
		made_init_with(&m, &disk.io);
		append_random(&m, &rng);
		append_random(&m, &rng);
		made_reads_back(&m, 1);
		made_finish(&m);
	}
}

/*
 * Wherever the disk gets full: no event is partly in the log, and all are
 * later.
 */
static void
full_disk_leaves_whole_events(int full_errno, uint64_t step)
{
	auto_free uint8_t *bytes = NULL;
	struct rng rng = { 21 };
	struct disk disk;
	struct made m;

	bytes = noise(&rng, 100000);
	disk_works(&disk);
	disk.full_errno = full_errno;
	made_init_with(&m, &disk.io);
	made_put(&m, RECORD_START, 0, "{}", 2);
	for (uint64_t room = 0; room < 1200; room += step) {
		struct log_event ev[3];

		ev[0] = made_next(&m, RECORD_OUTPUT, 0, bytes, 300);
		ev[1] = ev[2] = ev[0];
		ev[1].type = RECORD_MARK;
		ev[1].seq++;
		ev[2].offset += 300;
		ev[2].len2 = 1 + room * 40;
		ev[2].seq += 2;
		disk.room = room % (ev[2].len2 + 300);
		assert_int_equal(log_writer_append(m.w, ev, 3), -full_errno);
		nothing_is_left_over(&m);
		made_reads_back(&m, 1);
		disk.room = UINT64_MAX;
		assert_int_equal(log_writer_append(m.w, ev, 3), 0);
		for (int i = 0; i < 3; i++)
			made_note(&m, &ev[i]);
	}
	made_reads_back(&m, 1);
	reopen(&m);
	made_finish(&m);
}

static void
a_full_disk_leaves_whole_events_and_the_rest_for_later(void **state)
{
	static const int others[] = { EDQUOT, EROFS, EIO, EFBIG };

	(void)state;
	full_disk_leaves_whole_events(ENOSPC, full_doses() ? 1 : 13);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		full_disk_leaves_whole_events(others[i], 97);
}

static off_t
longest_file(const struct made *m)
{
	DIR *dir = opendir(m->path);
	struct dirent *e;
	off_t most = 0;
	struct stat st;

	assert_non_null(dir);
	while ((e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.' &&
		    fstatat(dirfd(dir), e->d_name, &st, 0) == 0 &&
		    st.st_size > most)
			most = st.st_size;
	closedir(dir);
	return most;
}

/* As `ulimit -f 64` does. */
static void
a_file_that_may_not_grow_is_followed_by_another(void **state)
{
	const rlim_t limit = 64 << 10;
	auto_free uint8_t *bytes = NULL;
	struct rng rng = { 22 };
	struct rlimit before, low;
	struct made m;

	(void)state;
	bytes = noise(&rng, 20000);
	made_init(&m);
	made_put(&m, RECORD_START, 0, "{}", 2);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	low = before;
	low.rlim_cur = limit;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	for (size_t i = 0; i < 40; i++)
		made_put(&m, RECORD_OUTPUT, 0, bytes, 1 + i * 487);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(longest_file(&m) <= (off_t)limit);
	nothing_is_left_over(&m);
	made_reads_back(&m, 1);
	reopen(&m);
	made_reads_back(&m, 1);
	made_finish(&m);
}

static void
events_that_cannot_be_withdrawn_are_not_read(void **state)
{
	struct log_event ev[2], gap;
	struct disk disk;
	struct made m;
	uint8_t text[17];

	(void)state;
	disk_works(&disk);
	made_init_with(&m, &disk.io);
	made_put(&m, RECORD_START, 0, "{}", 2);
	made_put(&m, RECORD_OUTPUT, 0, "hello", 5);
	ev[0] = made_next(&m, RECORD_OUTPUT, 0, "world", 5);
	ev[1] = ev[0];
	ev[1].seq++;
	ev[1].offset += 5;
	disk.room = 60; /* for the first and a part of the second */
	disk.truncate_errno = EIO;
	assert_int_equal(log_writer_append(m.w, ev, 2), -ENOSPC);
	disk_works(&disk);
	assert_int_equal(log_writer_append(m.w, ev, 2), -ESTALE);
	/* Do not write the same again: the bytes are given up. */
	put_u64le(text, m.offset);
	put_u64le(text + 8, 10);
	text[16] = 1;
	made_rotate(&m, "key", 3);
	gap = made_next(&m, RECORD_GAP, 0, NULL, 0);
	gap.p1 = text;
	gap.len1 = 17;
	assert_int_equal(log_writer_append(m.w, &gap, 1), 0);
	made_note(&m, &gap);
	m.offset += 10;
	made_put(&m, RECORD_OUTPUT, 0, "!", 1);
	made_reads_back(&m, 1);
	reopen(&m);
	assert_int_equal(log_writer_compress(m.w), 1);
	made_reads_back(&m, 1);
	made_finish(&m);
}

static void
after_a_failed_sync_the_segment_is_left(void **state)
{
	struct log_event ev;
	struct disk disk;
	struct made m;

	(void)state;
	disk_works(&disk);
	made_init_with(&m, &disk.io);
	made_put(&m, RECORD_START, 0, "{}", 2);
	made_put(&m, RECORD_OUTPUT, 0, "hello", 5);
	assert_false(log_writer_is_left(m.w));
	disk.sync_errno = EIO;
	assert_int_equal(log_writer_sync(m.w), -EIO);
	assert_true(log_writer_is_left(m.w));
	disk.sync_errno = 0;
	/* The kernel marks as written what it could not write. */
	assert_int_equal(log_writer_sync(m.w), -EIO);
	ev = made_next(&m, RECORD_MARK, 0, "no", 2);
	assert_int_equal(log_writer_append(m.w, &ev, 1), -ESTALE);
	made_rotate(&m, "key", 3);
	assert_false(log_writer_is_left(m.w));
	made_put(&m, RECORD_OUTPUT, 0, "world", 5);
	assert_int_equal(log_writer_sync(m.w), 0);
	made_reads_back(&m, 1);
	made_finish(&m);
}

/* The inode of a segment's file; 0: there is none. */
static ino_t
inode_of(const struct made *m, uint32_t number, enum segment_kind kind)
{
	char name[SEGMENT_NAME_MAX];
	struct stat st;

	segment_name(name, number, kind);
	return fstatat(m->dirfd, name, &st, 0) < 0 ? 0 : st.st_ino;
}

/* A log of two segments; the first could not be synced. */
static void
make_unsafe(struct made *m, struct disk *disk, bool sealed)
{
	struct rng rng = { 24 };

	disk_works(disk);
	made_init_with(m, &disk->io);
	made_put(m, RECORD_START, 0, "{}", 2);
	while (log_writer_segment_size(m->w) < 1 << 20)
		append_random(m, &rng);
	if (sealed)
		made_rotate(m, "key", 3);
	disk->sync_errno = EIO;
	assert_int_equal(log_writer_sync(m->w), -EIO);
	made_rotate(m, "key", 3);
	made_put(m, RECORD_OUTPUT, 0, "world", 5);
}

/* No event is safe before it is in a synced file. */
static void
unsynced_events_are_written_again(void **state)
{
	struct disk disk;
	struct made m;

	(void)state;
	for (int sealed = 0; sealed < 2; sealed++) {
		make_unsafe(&m, &disk, sealed);
		disk_works(&disk);
		disk.room = 5000; /* for the end, but not for all of it */
		assert_int_equal(log_writer_sync(m.w), -ENOSPC);
		assert_false(log_writer_is_left(m.w));
		assert_int_equal(log_writer_sync(m.w), -ENOSPC);
		assert_true(inode_of(&m, 1, SEGMENT_PLAIN) != 0);
		disk_works(&disk);
		assert_int_equal(log_writer_sync(m.w), 0);
		for (uint32_t n = 1; n < 2u + (unsigned)sealed; n++)
			assert_true(inode_of(&m, n, SEGMENT_PLAIN) == 0 &&
			    inode_of(&m, n, SEGMENT_COMPRESSED) != 0);
		nothing_is_left_over(&m);
		made_reads_back(&m, 1);
		assert_int_equal(log_writer_sync(m.w), 0);
		made_finish(&m);
	}
}

/* And never safe if it cannot be read any more. */
static void
events_that_cannot_be_written_again_are_never_safe(void **state)
{
	struct disk disk;
	struct made m;
	struct buf b;

	(void)state;
	make_unsafe(&m, &disk, false);
	disk_works(&disk);
	b = made_file(&m, 1, SEGMENT_PLAIN);
	b.data[b.len / 2] ^= 1;
	made_write_file(&m, 1, SEGMENT_PLAIN, b.data, b.len);
	buf_finish(&b);
	for (int i = 0; i < 3; i++)
		assert_int_equal(log_writer_sync(m.w), -EBADMSG);
	made_put(&m, RECORD_OUTPUT, 0, "goes on", 7);
	assert_int_equal(log_writer_sync(m.w), -EBADMSG);
	assert_false(log_writer_is_left(m.w));
	made_finish(&m);
}

/* The failure says nothing about the disk: the segment continues. */
static void
without_descriptors_a_sync_is_postponed(void **state)
{
	struct rlimit before, none;
	struct made m;

	(void)state;
	made_init(&m);
	made_put(&m, RECORD_START, 0, "{}", 2);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 3; /* which are all in use */
	for (int sealed = 0; sealed < 2; sealed++) {
		made_put(&m, RECORD_OUTPUT, 0, "hello", 5);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
		assert_int_equal(log_writer_sync(m.w), -EMFILE);
		made_put(&m, RECORD_OUTPUT, 0, " world", 6);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		made_rotate(&m, "key", 3);
	}
	assert_int_equal(log_writer_sync(m.w), 0);
	made_reads_back(&m, 1);
	made_finish(&m);
}

static void
a_rotation_that_fails_changes_nothing(void **state)
{
	struct log_event ev;
	struct disk disk;
	struct made m;

	(void)state;
	disk_works(&disk);
	made_init_with(&m, &disk.io);
	made_put(&m, RECORD_START, 0, "{}", 2);
	ev = made_next(&m, RECORD_KEYFRAME, RECORD_FULL, "key", 3);
	for (uint64_t room = 0; room < 150; room += 10) {
		disk.room = room;
		assert_int_equal(log_writer_rotate(m.w, &ev, 1), -ENOSPC);
		nothing_is_left_over(&m);
		made_reads_back(&m, 1);
	}
	disk_works(&disk);
	disk.rename_errno = EIO;
	assert_int_equal(log_writer_rotate(m.w, &ev, 1), -EIO);
	nothing_is_left_over(&m);
	disk_works(&disk);
	made_put(&m, RECORD_OUTPUT, 0, "goes on", 7);
	made_rotate(&m, "key", 3);
	made_reads_back(&m, 1);
	made_finish(&m);
}

static void
a_compression_that_fails_changes_nothing(void **state)
{
	struct rng rng = { 22 };
	struct disk disk;
	struct made m;

	(void)state;
	disk_works(&disk);
	made_init_with(&m, &disk.io);
	made_put(&m, RECORD_START, 0, "{}", 2);
	while (log_writer_segment_size(m.w) < 1 << 20)
		append_random(&m, &rng);
	made_rotate(&m, "key", 3);
	for (int i = 0; i < 5; i++) {
		disk_works(&disk);
		disk.room = i == 0 ? 100 : i == 1 ? 5000 : UINT64_MAX;
		disk.sync_errno = i == 2 ? EIO : 0;
		disk.rename_errno = i == 3 ? EIO : 0;
		disk.sync_dir_errno = i == 4 ? EIO : 0;
		assert_true(log_writer_compress(m.w) < 0);
		nothing_is_left_over(&m);
		made_reads_back(&m, 1);
		reopen(&m);
	}
	disk_works(&disk);
	assert_int_equal(log_writer_compress(m.w), 1);
	assert_int_equal(log_writer_compress(m.w), 0);
	made_reads_back(&m, 1);
	made_finish(&m);
}

/* A reader that has read an event that is then withdrawn. */
static void
look_before_it_is_gone(struct disk *disk)
{
	struct record rec;

	while (log_reader_next(disk->arg, &rec) == LOG_RECORD)
		continue;
}

static void
a_reader_recovers_from_withdrawn_events(void **state)
{
	struct rng rng = { 23 };

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct gone_through g = { 0 };
		struct log_reader *r;
		struct log_event ev;
		struct record rec;
		struct disk disk;
		struct made m;
		uint8_t *p = noise(&rng, 300000);

		disk_works(&disk);
		made_init_with(&m, &disk.io);
		made_put(&m, RECORD_START, 0, "{}", 2);
		r = made_reader(m.dirfd);
		disk.before_truncate = look_before_it_is_gone;
		disk.arg = r;
		disk.room = rng_below(&rng, 200000);
		ev = made_next(&m, i % 2 ? RECORD_OUTPUT : RECORD_KEYFRAME, 0,
		    p, 250000);
		assert_int_equal(log_writer_append(m.w, &ev, 1), -ENOSPC);
		disk.room = UINT64_MAX;
		if (i % 4 < 2) /* another event instead */
			made_put(&m, RECORD_MARK, 0, p, 70000);
		else
			made_put(&m, ev.type, 0, p, 250000);
		made_put(&m, RECORD_MARK, 0, "a", 1);
		if (i % 3 == 0)
			made_rotate(&m, "key", 3);
		made_put(&m, RECORD_MARK, 0, "b", 1);
		/* The reader gives nothing twice, and all later events. */
		g.end = log_reader_next(r, &rec);
		while (g.end == LOG_RECORD) {
			assert_true(made_is(&m, &rec));
			assert_true(rec.seq >= g.seq);
			g.seq = rec.seq;
			g.end = log_reader_next(r, &rec);
		}
		assert_int_equal(g.end, LOG_WAIT);
		assert_int_equal(g.seq, m.seq);
		log_reader_close(r);
		free(p);
		made_finish(&m);
	}
}

/* -------------------------------------------------------------- one writer */

static void
a_log_has_only_one_writer(void **state)
{
	struct error err = { 0 };
	struct log_writer *w;
	struct log_end end;
	struct made m;

	(void)state;
	made_init(&m);
	made_put(&m, RECORD_START, 0, "{}", 2);
	assert_int_equal(log_writer_open(&w, m.dirfd, &end, &err), -EBUSY);
	assert_string_equal(err.msg,
	    "cannot write the log: somebody else does");
	made_close(&m);
	assert_int_equal(log_writer_open(&w, m.dirfd, &end, &err), 0);
	log_writer_close(w);
	made_finish(&m);
}

static void
events_out_of_order_are_refused(void **state)
{
	struct log_event ev;
	struct made m;

	(void)state;
	made_init(&m);
	ev = made_next(&m, RECORD_MARK, 0, "a", 1);
	ev.seq = 2;
	assert_int_equal(log_writer_append(m.w, &ev, 1), -EINVAL);
	made_put(&m, RECORD_OUTPUT, 0, "abc", 3);
	ev = made_next(&m, RECORD_OUTPUT, 0, "d", 1);
	ev.offset = 2;
	assert_int_equal(log_writer_append(m.w, &ev, 1), -EINVAL);
	ev.offset = 3;
	ev.time_ns = 1;
	assert_int_equal(log_writer_rotate(m.w, &ev, 1), -EINVAL);
	made_put(&m, RECORD_OUTPUT, 0, "d", 1);
	made_reads_back(&m, 1);
	made_finish(&m);
}

static void
the_oldest_segments_are_trimmed_never_the_newest(void **state)
{
	uint64_t seq[4], first = 0, offset = 0;
	struct gone_through g;
	struct made m;

	(void)state;
	made_init(&m);
	for (int i = 0; i < 4; i++) {
		seq[i] = m.seq + 1;
		if (i == 0)
			made_put(&m, RECORD_START, 0, "{}", 2);
		else
			made_rotate(&m, "key", 3);
		made_put(&m, RECORD_OUTPUT, 0, "0123456789", 10);
	}
	assert_int_equal(log_writer_trim(m.w, log_writer_bytes(m.w), &first,
			     &offset),
	    0);
	assert_int_equal(first, 1);
	assert_int_equal(log_writer_trim(m.w, log_writer_bytes(m.w) - 1, &first,
			     &offset),
	    1);
	assert_int_equal(first, seq[1]);
	assert_int_equal(offset, 10);
	assert_int_equal(log_writer_trim(m.w, 0, &first, &offset), 2);
	assert_int_equal(first, seq[3]);
	assert_int_equal(offset, 30);
	g = made_read(&m);
	assert_int_equal(g.damages, 1);
	assert_true(g.damage[0].trimmed);
	assert_int_equal(g.damage[0].seq_to, seq[3]);
	assert_int_equal(g.damage[0].offset_to, 30);
	made_reads_back(&m, seq[3]);
	reopen(&m);
	made_finish(&m);
}

/* While a segment is compressed, the other thread trims the log. */
struct trimmer {
	struct made *m;
	enum { AT_WRITE, AT_RENAME, AFTER_RENAME } when;
	bool trimmed; /* once */
};

static void
assert_gone(int dirfd)
{
	char name[SEGMENT_NAME_MAX];

	for (int kind = SEGMENT_PLAIN; kind <= SEGMENT_TEMPORARY; kind++) {
		segment_name(name, 1, (enum segment_kind)kind);
		if (faccessat(dirfd, name, F_OK, 0) == 0)
			fail_msg("%s is there", name);
	}
}

static void
trim_once(struct trimmer *t)
{
	uint64_t seq, offset;

	if (t->trimmed) /* trimming writes as well */
		return;
	t->trimmed = true;
	assert_int_equal(log_writer_trim(t->m->w, 0, &seq, &offset), 1);
}

static ssize_t
write_and_trim(void *arg, int fd, const struct iovec *iov, int n, off_t at)
{
	struct trimmer *t = arg;

	if (t->when == AT_WRITE)
		trim_once(t);
	return pwritev(fd, iov, n, at);
}

/* A reader must not see trimmed events again. */
static int
rename_and_trim(void *arg, int dirfd, const char *from, const char *to)
{
	struct trimmer *t = arg;
	int rc, error;

	if (t->when == AT_RENAME)
		trim_once(t);
	rc = renameat(dirfd, from, dirfd, to);
	error = errno;
	trim_once(t);
	assert_gone(dirfd);
	errno = error;
	return rc;
}

static void
a_segment_trimmed_during_compression_stays_removed(void **state)
{
	(void)state;
	for (int when = AT_WRITE; when <= AFTER_RENAME; when++) {
		struct made m;
		struct trimmer t = { .m = &m, .when = when };
		struct log_io io = log_io_system;

		made_init_with(&m, &io);
		made_put(&m, RECORD_START, 0, "{}", 2);
		made_rotate(&m, "key", 3);
		io.writev = write_and_trim;
		io.rename = rename_and_trim;
		io.arg = &t;
		assert_int_equal(log_writer_compress(m.w), 0);
		assert_true(t.trimmed);
		assert_gone(m.dirfd);
		made_finish(&m);
	}
}

/* Both files are there after a crash between rename and unlink. */
static void
the_plain_file_counts_not_the_compressed_one(void **state)
{
	struct buf plain;
	struct made m;

	(void)state;
	made_init(&m);
	made_put(&m, RECORD_START, 0, "{}", 2);
	made_rotate(&m, "key", 3);
	plain = made_file(&m, 1, SEGMENT_PLAIN);
	assert_int_equal(log_writer_compress(m.w), 1);
	made_write_file(&m, 1, SEGMENT_PLAIN, plain.data, plain.len);
	made_write_file(&m, 1, SEGMENT_COMPRESSED, "broken", 6);
	made_reads_back(&m, 1);
	reopen(&m);
	assert_int_equal(log_writer_compress(m.w), 1);
	made_reads_back(&m, 1);
	buf_finish(&plain);
	made_finish(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_read_back_as_they_were_appended),
		cmocka_unit_test(a_sync_comes_every_64_kib),
		cmocka_unit_test(a_log_behaves_as_a_list_of_events),
		cmocka_unit_test(events_of_a_turn_are_one_write),
		cmocka_unit_test(short_writes_are_finished),
		cmocka_unit_test(
		    a_full_disk_leaves_whole_events_and_the_rest_for_later),
		cmocka_unit_test(
		    a_file_that_may_not_grow_is_followed_by_another),
		cmocka_unit_test(events_that_cannot_be_withdrawn_are_not_read),
		cmocka_unit_test(after_a_failed_sync_the_segment_is_left),
		cmocka_unit_test(unsynced_events_are_written_again),
		cmocka_unit_test(
		    events_that_cannot_be_written_again_are_never_safe),
		cmocka_unit_test(without_descriptors_a_sync_is_postponed),
		cmocka_unit_test(a_rotation_that_fails_changes_nothing),
		cmocka_unit_test(a_compression_that_fails_changes_nothing),
		cmocka_unit_test(a_reader_recovers_from_withdrawn_events),
		cmocka_unit_test(a_log_has_only_one_writer),
		cmocka_unit_test(events_out_of_order_are_refused),
		cmocka_unit_test(
		    the_oldest_segments_are_trimmed_never_the_newest),
		cmocka_unit_test(
		    a_segment_trimmed_during_compression_stays_removed),
		cmocka_unit_test(the_plain_file_counts_not_the_compressed_one),
	};

	return cmocka_run_group_tests_name("log_writer", tests, NULL, NULL);
}
