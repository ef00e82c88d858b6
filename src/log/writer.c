#include "log/writer_state.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/failpoint.h"
#include "base/fd.h"
#include "base/mem.h"
#include "log/begin.h"
#include "log/io.h"
#include "log/record.h"

#define LOCK_TRIES 50 /* a reader holds the lock for a moment */
#define LOCK_PAUSE_NS 2000000

/* --------------------------------------------------------------- the files */

struct entry *
writer_newest(struct log_writer *w)
{
	assert(w->count > 0);
	return &w->entries[w->count - 1];
}

static void
add_entry(struct log_writer *w, uint32_t number, bool packed, uint64_t bytes)
{
	w->entries = xrealloc(w->entries, w->count + 1, sizeof(*w->entries));
	w->entries[w->count++] = (struct entry){ number, packed, bytes, false };
	w->last = number > w->last ? number : w->last;
}

void
writer_set_names_dirty(struct log_writer *w)
{
	pthread_mutex_lock(w->mutex);
	w->names_dirty = true;
	pthread_mutex_unlock(w->mutex);
}

static int
remove_file(struct log_writer *w, uint32_t number, enum segment_kind kind)
{
	char name[SEGMENT_NAME_MAX];

	segment_name(name, number, kind);
	if (unlinkat(w->dirfd, name, 0) < 0 && errno != ENOENT)
		return -errno;
	writer_set_names_dirty(w);
	return 0;
}

/*
 * Remove the files in this order, because the segment may be about to be
 * compressed.  Without the plain file compression does not begin; without the
 * temporary file it cannot rename; an existing compressed file is removed
 * last.  So a removed segment never comes back.
 */
int
writer_remove_segment(struct log_writer *w, uint32_t number)
{
	static const enum segment_kind kinds[] = { SEGMENT_PLAIN,
		SEGMENT_TEMPORARY, SEGMENT_COMPRESSED };
	int rc = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && rc == 0; i++)
		rc = remove_file(w, number, kinds[i]);
	return rc;
}

static int
add_existing(struct log_writer *w, uint32_t number)
{
	enum segment_kind kind = SEGMENT_PLAIN;
	char name[SEGMENT_NAME_MAX];
	struct stat st;

	segment_name(name, number, kind);
	if (fstatat(w->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return -errno;
		kind = SEGMENT_COMPRESSED;
		segment_name(name, number, kind);
		if (fstatat(w->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return -errno;
	}
	add_entry(w, number, kind == SEGMENT_COMPRESSED, (uint64_t)st.st_size);
	return 0;
}

static int
list_files(struct log_writer *w)
{
	auto_free uint32_t *numbers = NULL;
	int n = segment_list(w->dirfd, &numbers), rc = 0;

	if (n < 0)
		return n;
	for (int i = 0; i < n && rc == 0; i++)
		rc = add_existing(w, numbers[i]);
	return rc;
}

/* ----------------------------------------------------------------- opening */

static int
take_lock(struct log_writer *w)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	w->lock = openat(w->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->lock < 0)
		return -errno;
	for (int i = 0; flock(w->lock, LOCK_EX | LOCK_NB) < 0; i++) {
		if (errno != EWOULDBLOCK)
			return -errno;
		if (i == LOCK_TRIES)
			return -EBUSY;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/*
 * The last position of a segment without an incomplete event.  Output may be
 * cut anywhere: each of its records is complete by itself.
 */
static void
find_end(struct segment *s, struct record_batch_place *out)
{
	struct segment_cursor c;
	struct record r;
	uint64_t sync = 0, at;

	segment_begin(s, &c);
	*out = (struct record_batch_place){ c.at, 0, c.seq, c.time_ns,
		c.offset };
	for (;;) {
		at = c.at;
		if (segment_next(s, &c, &r) != RECORD_VALID) {
			if (!segment_resync(s, &c))
				return;
			continue;
		}
		if (r.type == RECORD_SYNC)
			sync = at;
		if (c.open == 0 || c.open == RECORD_OUTPUT)
			*out = (struct record_batch_place){ c.at, sync, c.seq,
				c.time_ns, c.offset };
	}
}

/* Open the newest segment again and cut a torn end. */
static int
go_on_in(struct log_writer *w, struct entry *e, uint64_t *cut)
{
	char name[SEGMENT_NAME_MAX];
	auto_close int fd = -1;

	segment_name(name, e->number, SEGMENT_PLAIN);
	fd = openat(w->dirfd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (e->bytes > w->place.at) {
		if (w->io->truncate(w->io->arg, fd, (off_t)w->place.at) < 0)
			return -errno;
		*cut += e->bytes - w->place.at;
		e->bytes = w->place.at;
	}
	w->fd = fd_take(&fd);
	return 0;
}

/* The end of a segment; without events, its beginning. */
static int
look_at(struct log_writer *w, const struct entry *e, bool *empty)
{
	struct segment s;
	int rc = segment_open(&s, w->dirfd, e->number);

	if (rc < 0)
		return rc;
	find_end(&s, &w->place);
	w->nonce = s.head.nonce;
	*empty = w->place.seq < s.head.first_seq;
	segment_close(&s);
	return 0;
}

/*
 * Continue the newest segment, unless it is compressed.  Remove it if it has
 * no header or no event.  Without its header, the segment before tells where
 * the log ends, but that one is sealed and stays unchanged.
 */
static int
recover(struct log_writer *w, uint64_t *cut)
{
	struct entry *e = writer_newest(w);
	bool empty = true;
	int rc = look_at(w, e, &empty), removed = 0;

	if (rc < 0 && rc != -EBADMSG)
		return rc;
	if (!e->packed && !empty)
		return go_on_in(w, e, cut);
	if (!e->packed) {
		*cut += e->bytes;
		removed = writer_remove_segment(w, e->number);
		w->last = e->number - 1;
		w->count--;
	}
	for (size_t i = w->count; i-- > 0 && rc == -EBADMSG;)
		rc = look_at(w, &w->entries[i], &empty);
	return rc == 0 || rc == -EBADMSG ? removed : rc;
}

/*
 * The last writer may have died before its sync: sync everything again.
 * Compressed segments were synced.
 */
static void
distrust(struct log_writer *w)
{
	w->names_dirty = w->dirty = w->count > 0;
	for (size_t i = w->count; i-- > 0;)
		if (!w->entries[i].packed)
			w->unsynced = w->entries[i].number;
}

bool
writer_find_beginning(struct log_writer *w, struct segment_header *out)
{
	uint32_t from, to;

	pthread_mutex_lock(w->mutex);
	from = w->count > 0 ? w->entries[0].number : 1;
	to = w->count > 0 ? writer_newest(w)->number : 0;
	pthread_mutex_unlock(w->mutex);
	for (; from <= to; from++)
		if (segment_look(w->dirfd, from, out) == 0)
			return true;
	return false;
}

/*
 * Write the log's beginning to its file.  If that fails, remove the file: a
 * missing beginning is better than a wrong one.
 */
void
writer_write_begin(struct log_writer *w, const struct segment_header *h,
    bool sync)
{
	if (begin_write(w->dirfd, w->io, h, sync) < 0)
		unlinkat(w->dirfd, BEGIN_NAME, 0);
	pthread_mutex_lock(w->mutex);
	w->begin = *h;
	pthread_mutex_unlock(w->mutex);
}

/* An older tend wrote no such file. */
static void
open_begin(struct log_writer *w)
{
	struct segment_header h;

	if (begin_read(w->dirfd, &h))
		w->begin = h;
	else if (writer_find_beginning(w, &h))
		writer_write_begin(w, &h, false);
}

static int
open_parts(struct log_writer *w, int dirfd, struct log_end *end)
{
	int rc;

	w->dirfd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->dirfd < 0)
		return -errno;
	rc = take_lock(w);
	if (rc == 0)
		rc = list_files(w);
	distrust(w);
	if (rc == 0 && w->count > 0)
		rc = recover(w, &end->cut);
	if (rc == 0)
		open_begin(w);
	end->seq = w->place.seq;
	end->offset = w->place.offset;
	end->time_ns = w->place.time_ns;
	return rc;
}

int
log_writer_open_with(struct log_writer **out, int dirfd,
    const struct log_io *io, struct log_end *end, struct error *err)
{
	struct log_writer *w = xcalloc(1, sizeof(*w));
	struct log_end found = { 0 };
	int rc;

	*w = (struct log_writer){ .dirfd = -1, .lock = -1, .fd = -1, .io = io };
	w->mutex = xmalloc(sizeof(*w->mutex));
	pthread_mutex_init(w->mutex, NULL);
	w->packing = xmalloc(sizeof(*w->packing));
	pthread_mutex_init(w->packing, NULL);
	w->batch = xmalloc(sizeof(*w->batch));
	rc = open_parts(w, dirfd, &found);
	if (rc < 0) {
		log_writer_close(w);
		if (rc == -EBUSY)
			return error_set(err, EBUSY,
			    "cannot write the log: somebody else does");
		return error_set(err, -rc, "cannot write the log: %s",
		    strerror(-rc));
	}
	*end = found;
	*out = w;
	return 0;
}

int
log_writer_open(struct log_writer **out, int dirfd, struct log_end *end,
    struct error *err)
{
	return log_writer_open_with(out, dirfd, &log_io_system, end, err);
}

/*
 * Release the lock first: a reader that is woken by the closing of the file
 * must not find it locked.
 */
void
log_writer_close(struct log_writer *w)
{
	if (w == NULL)
		return;
	fd_close(&w->lock);
	fd_close(&w->fd);
	fd_close(&w->dirfd);
	free(w->entries);
	free(w->batch);
	pthread_mutex_destroy(w->mutex);
	free(w->mutex);
	pthread_mutex_destroy(w->packing);
	free(w->packing);
	free(w);
}

/* --------------------------------------------------------------- appending */

/* Undo a partial write of events. */
static void
take_back(struct log_writer *w)
{
	if (w->io->truncate(w->io->arg, w->fd, (off_t)w->place.at) == 0)
		return;
	pthread_mutex_lock(w->mutex);
	w->left = true;
	pthread_mutex_unlock(w->mutex);
}

/* ------------------------------------------------------------ new segments */

/* Write the header and the events to a file whose name readers ignore. */
static int
write_segment(struct log_writer *w, const struct segment_header *h,
    const struct log_event *ev, size_t n, const char *name)
{
	struct record_batch_place place = w->place;
	uint8_t head[SEGMENT_RECORDS];
	auto_close int fd = -1;
	int rc;

	fd = openat(w->dirfd, name,
	    O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	place.at = 0;
	place.sync = 0;
	record_batch_init(w->batch, w->io, fd, h->nonce, &place);
	segment_put_header(head, h);
	record_batch_put_bytes(w->batch, head, sizeof(head));
	rc = record_batch_put_events(w->batch, ev, n);
	if (rc == 0)
		fd_take(&fd);
	return rc;
}

/* Switch from the old segment to the new one. */
static void
take_over(struct log_writer *w, uint32_t number, const struct record_batch *b)
{
	pthread_mutex_lock(w->mutex);
	if (w->fd >= 0 && w->dirty && w->unsynced == 0)
		w->unsynced = writer_newest(w)->number;
	fd_close(&w->fd);
	w->fd = b->fd;
	w->nonce = b->nonce;
	w->place = b->place;
	w->left = false;
	w->dirty = true;
	w->names_dirty = true;
	add_entry(w, number, false, b->place.at);
	pthread_mutex_unlock(w->mutex);
}

/*
 * The first segment begins the log.  If the log was removed while it was
 * written, its beginning stays the same.
 */
static void
keep_begin(struct log_writer *w, const struct segment_header *first)
{
	struct segment_header h;

	pthread_mutex_lock(w->mutex);
	h = w->begin.first_seq != 0 ? w->begin : *first;
	pthread_mutex_unlock(w->mutex);
	if (faccessat(w->dirfd, BEGIN_NAME, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		writer_write_begin(w, &h, false);
}

static int
begin_segment(struct log_writer *w, const struct log_event *ev, size_t n)
{
	struct segment_header h = {
		.number = w->last + 1,
		.first_seq = ev[0].seq,
		.first_offset = w->place.offset,
		.first_time_ns = ev[0].time_ns,
	};
	char tmp[SEGMENT_NAME_MAX], name[SEGMENT_NAME_MAX];
	int rc;

	if (getrandom(&h.nonce, sizeof(h.nonce), 0) != sizeof(h.nonce))
		return -EIO;
	keep_begin(w, &h);
	segment_name(tmp, h.number, SEGMENT_TEMPORARY);
	segment_name(name, h.number, SEGMENT_PLAIN);
	rc = write_segment(w, &h, ev, n, tmp);
	failpoint("segment-written");
	if (rc == 0 && w->io->rename(w->io->arg, w->dirfd, tmp, name) < 0) {
		rc = -errno;
		fd_close(&w->batch->fd);
	}
	if (rc < 0) {
		unlinkat(w->dirfd, tmp, 0);
		return rc;
	}
	failpoint("segment-renamed");
	take_over(w, h.number, w->batch);
	return 0;
}

/* -------------------------------------------------------------- the public */

/* True if the segment may be continued; marks it as unsynced. */
static bool
may_write(struct log_writer *w)
{
	bool ok;

	pthread_mutex_lock(w->mutex);
	ok = !w->left;
	w->dirty |= ok;
	pthread_mutex_unlock(w->mutex);
	return ok;
}

static void
end_write(struct log_writer *w, const struct record_batch_place *place)
{
	w->place = *place;
	pthread_mutex_lock(w->mutex);
	writer_newest(w)->bytes = place->at;
	/* A sync that began before this write does not cover it. */
	w->dirty = true;
	pthread_mutex_unlock(w->mutex);
}

int
log_writer_append(struct log_writer *w, const struct log_event *ev, size_t n)
{
	int rc;

	if (n == 0)
		return 0;
	if (!record_batch_follows(&w->place, ev, n))
		return -EINVAL;
	if (w->fd < 0)
		return begin_segment(w, ev, n);
	if (!may_write(w))
		return -ESTALE;
	record_batch_init(w->batch, w->io, w->fd, w->nonce, &w->place);
	rc = record_batch_put_events(w->batch, ev, n);
	if (rc < 0)
		take_back(w);
	if (rc == -EFBIG) /* file size limit: try a new segment */
		return begin_segment(w, ev, n);
	if (rc < 0)
		return rc;
	end_write(w, &w->batch->place);
	return 0;
}

int
log_writer_rotate(struct log_writer *w, const struct log_event *ev, size_t n)
{
	if (n == 0 || !record_batch_follows(&w->place, ev, n))
		return -EINVAL;
	return begin_segment(w, ev, n);
}

int
log_writer_move(struct log_writer *w, int dirfd)
{
	struct log_writer to = { .dirfd = dirfd, .lock = -1 };
	int rc = take_lock(&to);

	pthread_mutex_lock(w->mutex);
	if (rc == 0 &&
	    (dup3(dirfd, w->dirfd, O_CLOEXEC) < 0 ||
		dup3(to.lock, w->lock, O_CLOEXEC) < 0))
		rc = -errno;
	if (rc == 0) {
		fd_close(&w->fd);
		w->count = 0;
		w->left = false;
	}
	pthread_mutex_unlock(w->mutex);
	fd_close(&to.lock);
	return rc;
}

size_t
log_writer_segment_size(const struct log_writer *w)
{
	return w->fd >= 0 ? (size_t)w->place.at : 0;
}
