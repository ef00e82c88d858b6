/* Syncs, compresses and trims a log, beside the thread that appends. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "log/compress.h"
#include "log/io.h"
#include "log/record.h"
#include "log/writer_state.h"

/* A sealed segment that is missing was compressed and synced, or trimmed. */
static int
sync_sealed(struct log_writer *w, uint32_t number)
{
	char name[SEGMENT_NAME_MAX];
	auto_close int fd = -1;

	segment_name(name, number, SEGMENT_PLAIN);
	fd = openat(w->dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	return w->io->sync(w->io->arg, fd) < 0 ? -errno : 0;
}

/* The files to sync, taken from the writer. */
struct due {
	int fd;          /* of the newest segment, to be closed; -1: clean */
	uint32_t number; /* its number, or the next one */
	uint32_t sealed; /* the first sealed one to sync; 0: none */
	bool names;
};

static int
take_due(struct log_writer *w, struct due *d)
{
	int rc = 0;

	*d = (struct due){ .fd = -1 };
	pthread_mutex_lock(w->mutex);
	if (w->fd >= 0 && w->dirty) {
		d->fd = fcntl(w->fd, F_DUPFD_CLOEXEC, 0);
		rc = d->fd < 0 ? -errno : 0;
	}
	if (rc == 0) {
		d->number = w->fd >= 0 ? writer_newest(w)->number : w->last + 1;
		d->sealed = w->unsynced;
		d->names = w->names_dirty;
		w->dirty = false;
		w->unsynced = 0;
		w->names_dirty = false;
	}
	pthread_mutex_unlock(w->mutex);
	return rc;
}

/* Unless it was trimmed meanwhile. */
static void
set_packed(struct log_writer *w, uint32_t number, uint64_t bytes)
{
	pthread_mutex_lock(w->mutex);
	for (size_t i = 0; i < w->count; i++)
		if (w->entries[i].number == number) {
			w->entries[i].packed = true;
			if (bytes > 0)
				w->entries[i].bytes = bytes;
		}
	pthread_mutex_unlock(w->mutex);
}

/*
 * Compress one segment; one thread at a time, because the temporary name is
 * shared.
 */
static int
pack(struct log_writer *w, uint32_t number)
{
	uint64_t bytes = 0;
	int rc;

	pthread_mutex_lock(w->packing);
	rc = compress_segment(w->dirfd, number, w->io, &bytes);
	pthread_mutex_unlock(w->packing);
	/* A removed segment needs no compression. */
	if (rc == 0 || rc == -EBADMSG || rc == -ENOENT)
		set_packed(w, number, bytes);
	if (rc == 0)
		writer_set_names_dirty(w);
	return rc;
}

/* Parts of it may be missing on the disk, even if a later sync succeeds. */
static void
set_unsafe(struct log_writer *w, uint32_t number)
{
	pthread_mutex_lock(w->mutex);
	for (size_t i = 0; i < w->count; i++)
		if (w->entries[i].number == number)
			w->entries[i].unsafe = true;
	pthread_mutex_unlock(w->mutex);
}

/* Mark these as unsynced again: there was no descriptor to sync them. */
static void
put_off(struct log_writer *w, uint32_t number)
{
	pthread_mutex_lock(w->mutex);
	if (w->unsynced == 0 || w->unsynced > number)
		w->unsynced = number;
	pthread_mutex_unlock(w->mutex);
}

static int
sync_all_sealed(struct log_writer *w, const struct due *d)
{
	int rc = 0;

	for (uint32_t n = d->sealed; n != 0 && n < d->number; n++) {
		int one = sync_sealed(w, n);

		rc = one < 0 ? one : rc;
		if (one == -EMFILE || one == -ENFILE) {
			put_off(w, n);
			break;
		}
		if (one < 0)
			set_unsafe(w, n);
	}
	return rc;
}

/* Mark the segment as unsafe; another may be in use by now. */
static int
sync_failed(struct log_writer *w, uint32_t number, int rc)
{
	set_unsafe(w, number);
	pthread_mutex_lock(w->mutex);
	if (w->last == number)
		w->left = true;
	pthread_mutex_unlock(w->mutex);
	return rc;
}

static int
sync_names(struct log_writer *w)
{
	int rc;

	if (w->io->sync_dir(w->io->arg, w->dirfd) == 0)
		return 0;
	rc = -errno;
	writer_set_names_dirty(w);
	return rc;
}

/*
 * Rewriting an unsafe segment.  The kernel reports a page that it could not
 * write once, and then treats it as written, so another sync would only seem
 * to help.  But the bytes can still be read, so the segment is compressed,
 * which writes and syncs another file.
 */

/*
 * The oldest sealed unsafe segment; 0: none.  *newest: the current one is
 * unsafe.
 */
static uint32_t
next_unsafe(struct log_writer *w, bool *newest_is)
{
	uint32_t number = 0;

	pthread_mutex_lock(w->mutex);
	for (size_t i = w->count; i-- > 0;)
		if (w->entries[i].unsafe && i + 1 < w->count)
			number = w->entries[i].number;
	*newest_is = w->count > 0 && writer_newest(w)->unsafe;
	pthread_mutex_unlock(w->mutex);
	return number;
}

/*
 * 0 if every event of the segment is readable up to the beginning of the next
 * segment; otherwise -EBADMSG.  A removed or trimmed segment passes.
 */
static int
check_whole(const struct log_writer *w, uint32_t number)
{
	struct segment_header next = { 0 };
	struct segment_cursor c;
	struct segment s;
	struct record r;
	int rc = segment_open(&s, w->dirfd, number);

	if (rc < 0)
		return rc == -ENOENT ? 0 : rc;
	segment_begin(&s, &c);
	while (segment_next(&s, &c, &r) == RECORD_VALID)
		continue;
	segment_close(&s);
	rc = segment_look(w->dirfd, number + 1, &next);
	return rc == 0 && c.seq + 1 < next.first_seq ? -EBADMSG : rc;
}

static void
set_safe(struct log_writer *w, uint32_t number)
{
	pthread_mutex_lock(w->mutex);
	for (size_t i = 0; i < w->count; i++)
		if (w->entries[i].number == number)
			w->entries[i].unsafe = false;
	pthread_mutex_unlock(w->mutex);
}

static int
renew(struct log_writer *w, uint32_t number)
{
	int rc = pack(w, number);

	if (rc == 0 || rc == -ENOENT) /* compressed before, or trimmed */
		rc = check_whole(w, number);
	if (rc == 0)
		set_safe(w, number);
	return rc;
}

/* A segment in use cannot be compressed yet. */
static int
renew_unsafe(struct log_writer *w)
{
	bool newest_is;
	uint32_t number;
	int rc = 0;

	while ((number = next_unsafe(w, &newest_is)) != 0 && rc == 0)
		rc = renew(w, number);
	return rc == 0 && newest_is ? -EIO : rc;
}

/* True if synced files can be found by name. */
static bool
has_a_name(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 || st.st_nlink > 0;
}

int
log_writer_sync(struct log_writer *w)
{
	int unsafe = renew_unsafe(w);
	struct due d;
	int rc = take_due(w, &d);

	if (rc < 0)
		return rc;
	rc = sync_all_sealed(w, &d);
	if (d.fd >= 0 && w->io->sync(w->io->arg, d.fd) < 0)
		rc = sync_failed(w, d.number, -errno);
	else if (d.fd >= 0 && !has_a_name(d.fd))
		rc = sync_failed(w, d.number, -ENOENT);
	fd_close(&d.fd);
	if (d.names) {
		int names = sync_names(w);

		rc = names < 0 ? names : rc;
	}
	return rc < 0 ? rc : unsafe;
}

bool
log_writer_is_left(const struct log_writer *w)
{
	bool left;

	pthread_mutex_lock(w->mutex);
	left = w->left;
	pthread_mutex_unlock(w->mutex);
	return left;
}

/* The oldest sealed segment that is not compressed; 0: none. */
static uint32_t
next_to_compress(struct log_writer *w)
{
	uint32_t number = 0;

	pthread_mutex_lock(w->mutex);
	for (size_t i = 0; i + 1 < w->count && number == 0; i++)
		if (!w->entries[i].packed)
			number = w->entries[i].number;
	pthread_mutex_unlock(w->mutex);
	return number;
}

int
log_writer_compress(struct log_writer *w)
{
	uint32_t number;

	while ((number = next_to_compress(w)) != 0) {
		int rc = pack(w, number);

		if (rc != -EBADMSG && rc != -ENOENT)
			return rc == 0 ? 1 : rc;
	}
	return 0;
}

/*
 * Forget the oldest segment if the log is too long, unless it is the only one.
 */
static bool
forget_oldest(struct log_writer *w, uint64_t budget, struct entry *out)
{
	uint64_t total = log_writer_bytes(w);
	bool is_too_long;

	pthread_mutex_lock(w->mutex);
	is_too_long = w->count > 1 && total > budget;
	if (is_too_long) {
		*out = w->entries[0];
		w->count--;
		memmove(w->entries, w->entries + 1,
		    w->count * sizeof(*w->entries));
	}
	pthread_mutex_unlock(w->mutex);
	return is_too_long;
}

/* The segment could not be removed: list it again. */
static void
remember_oldest(struct log_writer *w, const struct entry *e)
{
	pthread_mutex_lock(w->mutex);
	w->entries = xrealloc(w->entries, w->count + 1, sizeof(*w->entries));
	memmove(w->entries + 1, w->entries, w->count * sizeof(*w->entries));
	w->entries[0] = *e;
	w->count++;
	pthread_mutex_unlock(w->mutex);
}

int
log_writer_trim(struct log_writer *w, uint64_t budget, uint64_t *first_seq,
    uint64_t *first_offset)
{
	struct segment_header begin;
	struct entry oldest;
	int removed = 0;

	while (forget_oldest(w, budget, &oldest)) {
		int rc;

		if (writer_find_beginning(w, &begin))
			writer_write_begin(w, &begin, true);
		rc = writer_remove_segment(w, oldest.number);

		if (rc < 0) {
			remember_oldest(w, &oldest);
			return rc;
		}
		removed++;
	}
	if (writer_find_beginning(w, &begin)) {
		*first_seq = begin.first_seq;
		*first_offset = begin.first_offset;
	}
	return removed;
}

size_t
log_writer_plain(const struct log_writer *w)
{
	size_t n = 0;

	pthread_mutex_lock(w->mutex);
	for (size_t i = 0; i + 1 < w->count; i++)
		n += !w->entries[i].packed;
	pthread_mutex_unlock(w->mutex);
	return n;
}

uint64_t
log_writer_bytes(const struct log_writer *w)
{
	uint64_t total = 0;

	pthread_mutex_lock(w->mutex);
	for (size_t i = 0; i < w->count; i++)
		total += w->entries[i].bytes;
	pthread_mutex_unlock(w->mutex);
	return total;
}

uint32_t
log_writer_newest(const struct log_writer *w)
{
	uint32_t number;

	pthread_mutex_lock(w->mutex);
	number = w->count > 0 ? w->entries[w->count - 1].number : 0;
	pthread_mutex_unlock(w->mutex);
	return number;
}
