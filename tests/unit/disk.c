#include "unit.h"

#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"

#define NAME_LEN 32
#define NAMES_MAX 64

enum change_kind {
	CHANGE_CREATE,
	CHANGE_RENAME,
	CHANGE_UNLINK,
	CHANGE_SYNC_NAMES,
	CHANGE_WRITE,
	CHANGE_TRUNCATE,
	CHANGE_SYNC,
};

struct change {
	enum change_kind kind;
	size_t file;
	char name[NAME_LEN], to[NAME_LEN];
	uint64_t at; /* for WRITE; the new size for TRUNCATE */
	uint8_t *p;
	size_t len;
};

struct disk {
	dev_t dev;
	ino_t ino;
	struct change *changes;
	size_t count, room;
	ino_t *files; /* of files with one inode number, the latest counts */
	size_t file_count;
};

/* The wrapped calls note their changes here: they have no argument for it. */
static struct disk *recorded;

/* ------------------------------------------------------------------- notes */

static void
note(struct disk *d, struct change c)
{
	if (d->count == d->room) {
		d->room = 2 * d->room + 64;
		d->changes = xrealloc(d->changes, d->room, sizeof(c));
	}
	d->changes[d->count++] = c;
}

static size_t
new_file(struct disk *d, ino_t ino)
{
	d->files = xrealloc(d->files, d->file_count + 1, sizeof(ino));
	d->files[d->file_count] = ino;
	return d->file_count++;
}

static bool
find_file(const struct disk *d, int fd, size_t *out)
{
	struct stat st;

	if (d == NULL || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_dev != d->dev)
		return false;
	for (size_t i = d->file_count; i-- > 0;)
		if (d->files[i] == st.st_ino) {
			*out = i;
			return true;
		}
	return false;
}

static bool
is_ours(const struct disk *d, int dirfd)
{
	struct stat st;

	return d != NULL && fstat(dirfd, &st) == 0 && st.st_dev == d->dev &&
	    st.st_ino == d->ino;
}

static void
note_name(struct disk *d, enum change_kind kind, size_t file, const char *name,
    const char *to)
{
	struct change c = { .kind = kind, .file = file };

	snprintf(c.name, sizeof(c.name), "%s", name);
	snprintf(c.to, sizeof(c.to), "%s", to);
	note(d, c);
}

static void
note_write(struct disk *d, size_t file, const void *p, size_t len, uint64_t at)
{
	note(d,
	    (struct change){ .kind = CHANGE_WRITE,
		.file = file,
		.at = at,
		.p = xmemdup(p, len),
		.len = len });
}

/* ----------------------------------------------------------- wrapped calls */

int __real_openat64(int dirfd, const char *name, int flags, ...);
int __wrap_openat64(int dirfd, const char *name, int flags, ...);
ssize_t __real_pwritev64(int fd, const struct iovec *iov, int n, off_t at);
ssize_t __wrap_pwritev64(int fd, const struct iovec *iov, int n, off_t at);
ssize_t __real_write(int fd, const void *p, size_t len);
ssize_t __wrap_write(int fd, const void *p, size_t len);
int __real_ftruncate64(int fd, off_t len);
int __wrap_ftruncate64(int fd, off_t len);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_renameat(int from_fd, const char *from, int to_fd, const char *to);
int __wrap_renameat(int from_fd, const char *from, int to_fd, const char *to);
int __real_unlinkat(int dirfd, const char *name, int flags);
int __wrap_unlinkat(int dirfd, const char *name, int flags);

int
__wrap_openat64(int dirfd, const char *name, int flags, ...)
{
	bool makes = (flags & O_CREAT) != 0 && is_ours(recorded, dirfd);
	bool is_new = makes && faccessat(dirfd, name, F_OK, 0) < 0;
	struct stat st;
	va_list args;
	size_t file;
	int fd;

	va_start(args, flags);
	fd = __real_openat64(dirfd, name, flags,
	    (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0);
	va_end(args);
	if (!makes || fd < 0)
		return fd;
	if (is_new && fstat(fd, &st) == 0)
		note_name(recorded, CHANGE_CREATE,
		    new_file(recorded, st.st_ino), name, "");
	else if ((flags & O_TRUNC) != 0 && find_file(recorded, fd, &file))
		note(recorded,
		    (struct change){ .kind = CHANGE_TRUNCATE, .file = file });
	return fd;
}

ssize_t
__wrap_pwritev64(int fd, const struct iovec *iov, int n, off_t at)
{
	ssize_t left = __real_pwritev64(fd, iov, n, at), done = left;
	uint64_t to = (uint64_t)at;
	size_t file;

	if (!find_file(recorded, fd, &file))
		return done;
	for (; left > 0; iov++) {
		size_t len = iov->iov_len < (size_t)left ? iov->iov_len :
							   (size_t)left;

		note_write(recorded, file, iov->iov_base, len, to);
		left -= (ssize_t)len;
		to += len;
	}
	return done;
}

ssize_t
__wrap_write(int fd, const void *p, size_t len)
{
	off_t at = lseek(fd, 0, SEEK_CUR);
	ssize_t done = __real_write(fd, p, len);
	size_t file;

	if (done > 0 && find_file(recorded, fd, &file))
		note_write(recorded, file, p, (size_t)done, (uint64_t)at);
	return done;
}

int
__wrap_ftruncate64(int fd, off_t len)
{
	int rc = __real_ftruncate64(fd, len);
	size_t file;

	if (rc == 0 && find_file(recorded, fd, &file))
		note(recorded,
		    (struct change){ .kind = CHANGE_TRUNCATE,
			.file = file,
			.at = (uint64_t)len });
	return rc;
}

/* Of a file or of the directory. */
static void
note_sync(struct disk *d, int fd)
{
	size_t file;

	if (is_ours(d, fd))
		note(d, (struct change){ .kind = CHANGE_SYNC_NAMES });
	else if (find_file(d, fd, &file))
		note(d, (struct change){ .kind = CHANGE_SYNC, .file = file });
}

int
__wrap_fdatasync(int fd)
{
	note_sync(recorded, fd);
	return 0;
}

int
__wrap_fsync(int fd)
{
	note_sync(recorded, fd);
	return 0;
}

int
__wrap_renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	auto_close int fd = -1;
	size_t file;
	int rc;

	if (!is_ours(recorded, from_fd))
		return __real_renameat(from_fd, from, to_fd, to);
	fd = __real_openat64(from_fd, from, O_RDONLY | O_CLOEXEC);
	rc = __real_renameat(from_fd, from, to_fd, to);
	if (rc == 0 && find_file(recorded, fd, &file))
		note_name(recorded, CHANGE_RENAME, file, from, to);
	return rc;
}

int
__wrap_unlinkat(int dirfd, const char *name, int flags)
{
	int rc = __real_unlinkat(dirfd, name, flags);

	if (rc == 0 && is_ours(recorded, dirfd))
		note_name(recorded, CHANGE_UNLINK, 0, name, "");
	return rc;
}

/* ------------------------------------------------------------------ states */

/* Existing content counts as synced. */
static void
note_what_is_there(struct disk *d, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	assert_non_null(dir);
	while ((e = readdir(dir)) != NULL) {
		auto_close int fd = __real_openat64(dirfd(dir), e->d_name,
		    O_RDONLY | O_CLOEXEC);
		auto_free uint8_t *p = NULL;
		struct stat st;
		size_t file;

		if (e->d_name[0] == '.' || fd < 0 || fstat(fd, &st) < 0)
			continue;
		p = xmalloc((size_t)st.st_size + 1);
		assert_int_equal(read(fd, p, (size_t)st.st_size), st.st_size);
		file = new_file(d, st.st_ino);
		note_name(d, CHANGE_CREATE, file, e->d_name, "");
		note_write(d, file, p, (size_t)st.st_size, 0);
		note(d, (struct change){ .kind = CHANGE_SYNC, .file = file });
	}
	closedir(dir);
	note(d, (struct change){ .kind = CHANGE_SYNC_NAMES });
}

struct disk *
disk_create(const char *path)
{
	struct disk *d = xcalloc(1, sizeof(*d));
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	d->dev = st.st_dev;
	d->ino = st.st_ino;
	note_what_is_there(d, path);
	return d;
}

void
disk_destroy(struct disk *d)
{
	assert_ptr_not_equal(d, recorded);
	for (size_t i = 0; i < d->count; i++)
		free(d->changes[i].p);
	free(d->changes);
	free(d->files);
	free(d);
}

void
disk_record(struct disk *d)
{
	assert_null(recorded);
	recorded = d;
}

void
disk_rest(struct disk *d)
{
	assert_ptr_equal(recorded, d);
	recorded = NULL;
}

size_t
disk_count(const struct disk *d)
{
	return d->count;
}

bool
disk_is_turn(const struct disk *d, size_t i)
{
	return d->changes[i].kind != CHANGE_WRITE;
}

/* The state of a disk at the loss of power. */
struct mood {
	size_t block;
	unsigned keeps;      /* percent of blocks that are the latest */
	unsigned zeros;      /* percent of the others that are zero */
	unsigned keeps_name; /* percent of changes of names kept */
	bool any_size;
};

static struct mood
pick_mood(struct rng *rng)
{
	static const unsigned chances[] = { 0, 50, 90, 100 };

	return (struct mood){
		.block = rng_below(rng, 2) == 0 ? 512 : 4096,
		.keeps = chances[rng_below(rng, 4)],
		.zeros = rng_below(rng, 2) == 0 ? 50 : 0,
		.keeps_name = chances[rng_below(rng, 4)],
		.any_size = rng_below(rng, 2) == 0,
	};
}

/* A file as it is in memory. */
struct image {
	uint8_t *p;
	size_t len, room;
};

static void
image_resize(struct image *f, size_t len)
{
	if (len > f->room) {
		f->p = xrealloc(f->p, len, 1);
		f->room = len;
	}
	if (len > f->len)
		memset(f->p + f->len, 0, len - f->len);
	f->len = len;
}

static void
apply(struct image *f, const struct change *c)
{
	if (c->kind == CHANGE_TRUNCATE)
		image_resize(f, c->at);
	if (c->kind != CHANGE_WRITE)
		return;
	if (c->at + c->len > f->len)
		image_resize(f, c->at + c->len);
	memcpy(f->p + c->at, c->p, c->len);
}

/* The changes of a file, and how many of them were synced. */
struct past {
	const struct change **changes;
	size_t count, synced;
};

static struct past
past_of(const struct disk *d, size_t file, size_t count)
{
	struct past past = { .changes = xcalloc(count + 1, sizeof(void *)) };

	for (size_t i = 0; i < count; i++) {
		const struct change *c = &d->changes[i];

		if (c->kind < CHANGE_WRITE || c->file != file)
			continue;
		if (c->kind == CHANGE_SYNC)
			past.synced = past.count;
		else
			past.changes[past.count++] = c;
	}
	return past;
}

/* A file on its way to the disk: each block stops at its own moment. */
struct loss {
	const struct mood *mood;
	struct image now, out;
	size_t blocks;
	size_t *until;     /* changes, per block */
	size_t size_until; /* and of the size */
	size_t len, synced_len;
};

static size_t
largest_size(const struct past *past)
{
	size_t most = 0;

	for (size_t i = 0; i < past->count; i++) {
		const struct change *c = past->changes[i];

		if (c->kind == CHANGE_WRITE && c->at + c->len > most)
			most = c->at + c->len;
	}
	return most;
}

static void
pick_moments(struct loss *l, const struct past *past, struct rng *rng)
{
	unsigned steps = (unsigned)(past->count - past->synced) + 1;

	l->blocks = largest_size(past) / l->mood->block + 1;
	l->until = xcalloc(l->blocks, sizeof(*l->until));
	for (size_t b = 0; b < l->blocks; b++)
		l->until[b] = rng_below(rng, 100) < l->mood->keeps ?
		    past->count :
		    past->synced + rng_below(rng, steps);
	l->size_until = past->count;
	if (l->mood->any_size)
		l->size_until = past->synced + rng_below(rng, steps);
}

/* Blocks and size that stop after this many changes. */
static void
stop_here(struct loss *l, size_t moment)
{
	size_t n = l->mood->block;

	if (moment == l->size_until)
		l->len = l->now.len;
	for (size_t b = 0; b < l->blocks; b++) {
		size_t at = b * n;
		size_t left = l->now.len > at ? l->now.len - at : 0;

		if (l->until[b] == moment && left > 0)
			memcpy(l->out.p + at, l->now.p + at,
			    left < n ? left : n);
	}
}

/* Blocks that the file got but that were never written. */
static void
zero_some(struct loss *l, const struct past *past, struct rng *rng)
{
	size_t n = l->mood->block;

	for (size_t b = 0; b < l->blocks; b++) {
		size_t at = b * n;
		size_t from = l->synced_len > at ? l->synced_len - at : 0;

		if (l->until[b] < past->count && from < n &&
		    rng_below(rng, 100) < l->mood->zeros)
			memset(l->out.p + at + from, 0, n - from);
	}
}

static struct image
lose_file(const struct past *past, const struct mood *mood, struct rng *rng)
{
	struct loss l = { .mood = mood };

	pick_moments(&l, past, rng);
	image_resize(&l.out, l.blocks * mood->block);
	for (size_t i = 0; i <= past->count; i++) {
		if (i == past->synced)
			l.synced_len = l.now.len;
		stop_here(&l, i);
		if (i < past->count)
			apply(&l.now, past->changes[i]);
	}
	zero_some(&l, past, rng);
	image_resize(&l.out, l.len);
	free(l.now.p);
	free(l.until);
	return l.out;
}

struct names {
	struct {
		char name[NAME_LEN];
		size_t file;
	} list[NAMES_MAX];
	size_t count;
};

static void
forget_name(struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->list[i].name, name) == 0) {
			names->list[i] = names->list[--names->count];
			return;
		}
}

static void
set_name(struct names *names, const char *name, size_t file)
{
	forget_name(names, name);
	assert_true(names->count < NAMES_MAX);
	snprintf(names->list[names->count].name, NAME_LEN, "%s", name);
	names->list[names->count++].file = file;
}

static void
change_names(struct names *names, const struct change *c)
{
	if (c->kind == CHANGE_CREATE)
		set_name(names, c->name, c->file);
	if (c->kind == CHANGE_UNLINK || c->kind == CHANGE_RENAME)
		forget_name(names, c->name);
	if (c->kind == CHANGE_RENAME)
		set_name(names, c->to, c->file);
}

static struct names
lose_names(const struct disk *d, size_t count, const struct mood *mood,
    struct rng *rng)
{
	struct names names = { .count = 0 };
	size_t synced = 0;

	for (size_t i = 0; i < count; i++)
		if (d->changes[i].kind == CHANGE_SYNC_NAMES)
			synced = i;
	for (size_t i = 0; i < count; i++)
		if (i < synced || rng_below(rng, 100) < mood->keeps_name)
			change_names(&names, &d->changes[i]);
	return names;
}

static void
write_image(int dir, const char *name, const struct image *f)
{
	auto_close int fd = __real_openat64(dir, name,
	    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(f->len > 0 ? __real_write(fd, f->p, f->len) : 0,
	    f->len);
}

static void
make_state(const struct disk *d, size_t count, const struct mood *mood,
    struct rng *rng, int dir)
{
	struct names names = lose_names(d, count, mood, rng);

	for (size_t i = 0; i < names.count; i++) {
		struct past past = past_of(d, names.list[i].file, count);
		struct image f = lose_file(&past, mood, rng);

		write_image(dir, names.list[i].name, &f);
		free(f.p);
		free(past.changes);
	}
}

void
disk_lose_power(const struct disk *d, size_t count, struct rng *rng,
    const char *path)
{
	auto_close int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct mood mood = pick_mood(rng);

	make_state(d, count, &mood, rng, dir);
}

/* ------------------------------------------------------------- the notes */

static size_t
count_files(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	size_t n = 0;

	assert_non_null(dir);
	while ((e = readdir(dir)) != NULL)
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}

void
disk_has_all(const struct disk *d, const char *path)
{
	const struct mood all = { .block = 4096,
		.keeps = 100,
		.keeps_name = 100 };
	auto_close int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct rng rng = { 1 };
	struct names names = lose_names(d, d->count, &all, &rng);

	assert_int_equal(names.count, count_files(path));
	for (size_t i = 0; i < names.count; i++) {
		struct past past = past_of(d, names.list[i].file, d->count);
		struct image f = lose_file(&past, &all, &rng);
		auto_close int fd = openat(dir, names.list[i].name,
		    O_RDONLY | O_CLOEXEC);
		auto_free uint8_t *p = xmalloc(f.len + 1);

		if (fd < 0 || read(fd, p, f.len + 1) != (ssize_t)f.len ||
		    memcmp(p, f.p, f.len) != 0)
			fail_msg("%s/%s is not what was noted of it", path,
			    names.list[i].name);
		free(f.p);
		free(past.changes);
	}
}
