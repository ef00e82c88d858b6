#include "session/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sha256.h"
#include "session/home.h"

#define HEAD "tend homes 1\n"
#define FILE_MAX (4u << 20)
#define DAY_MS (24ll * 60 * 60 * 1000)
#define LOCK_LIMIT_MS 100
#define MACHINE_DIGITS 8
#define NAME_SIZE (sizeof("homes.") + MACHINE_DIGITS)

/* ----------------------------------------------------------------- entries */

static void
entry_finish(struct registry_entry *e)
{
	free(e->path);
}

void
registry_finish(struct registry *r)
{
	for (size_t i = 0; i < r->n; i++)
		entry_finish(&r->items[i]);
	free(r->items);
	*r = (struct registry){ 0 };
}

static void
drop(struct registry *r, size_t i)
{
	entry_finish(&r->items[i]);
	r->n--;
	memmove(r->items + i, r->items + i + 1, (r->n - i) * sizeof(*r->items));
}

static struct registry_entry *
find(const struct registry *r, const char *path)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->items[i].path, path) == 0)
			return &r->items[i];
	return NULL;
}

/* Insert in front; if the registry is full, drop the least recently used. */
static void
put_first(struct registry *r, const char *path, const struct stat *st)
{
	struct registry_entry *old = find(r, path);

	if (old != NULL)
		drop(r, (size_t)(old - r->items));
	while (r->n >= REGISTRY_MAX)
		drop(r, r->n - 1);
	r->items = xrealloc(r->items, r->n + 1, sizeof(*r->items));
	memmove(r->items + 1, r->items, r->n * sizeof(*r->items));
	r->items[0] = (struct registry_entry){ .path = xstrdup(path),
		.dev = st->st_dev,
		.ino = st->st_ino,
		.used_ms = clock_ms(CLOCK_REALTIME) };
	r->n++;
}

/* ---------------------------------------------------------------- its text */

/* The path between p and end, or NULL if it is invalid. */
static char *
read_path(const char *p, const char *end)
{
	char *path = xmalloc((size_t)(end - p) + 1), *to = path;

	while (p < end) {
		int byte = -1;

		if (*p == '\\' && end - p >= 4 && p[1] == 'x')
			byte = hex_byte(p + 2);
		if (byte >= 0) {
			*to++ = (char)byte;
			p += 4;
		} else {
			*to++ = *p++;
		}
	}
	*to = '\0';
	if (path[0] == '/' && strlen(path) == (size_t)(to - path) &&
	    to - path < PATH_MAX)
		return path;
	free(path);
	return NULL;
}

/* Read the decimal at *p and the blank after it. */
static bool
read_number(const char **p, const char *end, uint64_t *out)
{
	const char *s = *p;
	uint64_t n = 0;

	for (; s < end && *s >= '0' && *s <= '9'; s++) {
		unsigned digit = (unsigned)(*s - '0');

		if (n > (UINT64_MAX - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	if (s == *p || s == end || *s != ' ')
		return false;
	*out = n;
	*p = s + 1;
	return true;
}

static void
read_line(struct registry *r, const char *p, const char *end)
{
	struct registry_entry e = { 0 };
	uint64_t used;

	if (r->n == REGISTRY_MAX || !read_number(&p, end, &e.dev) ||
	    !read_number(&p, end, &e.ino) || !read_number(&p, end, &used) ||
	    used > INT64_MAX)
		return;
	e.used_ms = (int64_t)used;
	e.path = read_path(p, end);
	if (e.path == NULL)
		return;
	r->items = xrealloc(r->items, r->n + 1, sizeof(*r->items));
	r->items[r->n++] = e;
}

static void
read_text(struct registry *r, const char *p, size_t len)
{
	const char *end = p + len, *next;

	for (; p < end; p = next + 1) {
		next = memchr(p, '\n', (size_t)(end - p));
		if (next == NULL)
			break; /* incomplete */
		read_line(r, p, next);
	}
}

static void
write_entry(struct buf *out, const struct registry_entry *e)
{
	buf_printf(out, "%llu %llu %lld ", (unsigned long long)e->dev,
	    (unsigned long long)e->ino, (long long)e->used_ms);
	for (const char *s = e->path; *s != '\0'; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f || *s == '\\')
			buf_printf(out, "\\x%02x", (unsigned char)*s);
		else
			buf_putc(out, *s);
	buf_putc(out, '\n');
}

/* ---------------------------------------------------------------- its file */

/* An open directory, and the name of the file in it. */
struct place {
	int dir;
	char name[NAME_SIZE];
	char temp[NAME_SIZE + sizeof(".new")];
};

static void
set_names(struct place *p)
{
	char machine[256] = "", hex[65];
	uint8_t digest[32];
	struct sha256 sha;
	auto_close int fd = open("/etc/machine-id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, machine, sizeof(machine) - 1) : 0;

	if (n <= 0 && gethostname(machine, sizeof(machine) - 1) < 0)
		machine[0] = '\0';
	sha256_init(&sha);
	sha256_update(&sha, machine, strlen(machine));
	sha256_final(&sha, digest);
	sha256_hex(digest, hex);
	snprintf(p->name, sizeof(p->name), "homes.%.*s", MACHINE_DIGITS, hex);
	snprintf(p->temp, sizeof(p->temp), "%s.new", p->name);
}

/* p->dir is -1 if the directory does not exist and must not be made. */
static int
open_place(struct place *p, bool create, struct error *err)
{
	char path[PATH_MAX];
	int rc;

	p->dir = -1;
	rc = path_user_home(path, sizeof(path), err);
	if (rc < 0)
		return rc;
	set_names(p);
	return home_open_dir(path, create, &p->dir, err);
}

static int
read_file(const struct place *p, struct buf *b)
{
	struct stat st;
	auto_close int fd = file_open(p->dir, p->name, &st);

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	return S_ISREG(st.st_mode) ? file_read(fd, FILE_MAX, b) : -EINVAL;
}

/* An invalid file counts as empty; the next session replaces it. */
static int
read_entries(struct registry *r, const struct place *p)
{
	const size_t head = sizeof(HEAD) - 1;
	struct buf b;
	int rc;

	*r = (struct registry){ 0 };
	if (p->dir < 0)
		return 0;
	buf_init(&b, FILE_MAX + 1);
	rc = read_file(p, &b);
	if (rc == 0 && b.len >= head && memcmp(b.data, HEAD, head) == 0)
		read_text(r, (char *)b.data + head, b.len - head);
	buf_finish(&b);
	return rc == -EINVAL || rc == -EFBIG ? 0 : rc;
}

/* Set the mode regardless of the umask. */
static int
write_temp(const struct place *p, const struct buf *b)
{
	auto_close int fd = -1;

	if (unlinkat(p->dir, p->temp, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(p->dir, p->temp,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fchmod(fd, 0600) < 0)
		return -errno;
	return fd_write_all(fd, b->data, b->len);
}

/* The caller holds the lock, so no other process uses the temporary file. */
static int
write_entries(const struct registry *r, const struct place *p)
{
	struct buf b;
	int rc;

	buf_init(&b, FILE_MAX);
	buf_puts(&b, HEAD);
	/* If all paths are very long, the oldest entries do not fit. */
	for (size_t i = 0; i < r->n && b.len + 4 * PATH_MAX + 80 < b.max; i++)
		write_entry(&b, &r->items[i]);
	rc = write_temp(p, &b);
	if (rc == 0 && renameat(p->dir, p->temp, p->dir, p->name) < 0)
		rc = -errno;
	if (rc < 0)
		unlinkat(p->dir, p->temp, 0);
	buf_finish(&b);
	return rc;
}

int
registry_read(struct registry *r, struct error *err)
{
	struct place p;
	int rc;

	*r = (struct registry){ 0 };
	rc = open_place(&p, false, err);
	if (rc < 0)
		return rc;
	rc = read_entries(r, &p);
	fd_close(&p.dir);
	if (rc < 0)
		return error_set(err, -rc, "cannot read the list of homes: %s",
		    strerror(-rc));
	return 0;
}

/* ----------------------------------------------------------------- changes */

/* A change of the entries: 1 to write them, 0 not to, or -errno. */
typedef int change_fn(struct registry *r, const void *arg);

static int
change(const struct place *p, change_fn *fn, const void *arg)
{
	struct registry r;
	int rc = home_lock(p->dir, LOCK_LIMIT_MS);

	if (rc < 0)
		return rc;
	rc = read_entries(&r, p);
	if (rc == 0)
		rc = fn(&r, arg);
	if (rc > 0)
		rc = write_entries(&r, p);
	registry_finish(&r);
	return rc;
}

/* A home to enter; its path has no links and no dots. */
struct fresh {
	char path[PATH_MAX];
	struct stat st;
};

static int
set_fresh(struct fresh *f, const struct home *h)
{
	char link[40];
	ssize_t n;

	if (fstat(h->fd, &f->st) < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", h->fd);
	n = readlink(link, f->path, sizeof(f->path) - 1);
	if (n < 0)
		return -errno;
	f->path[n] = '\0';
	return 0;
}

static bool
is_fresh(const struct registry *r, const struct fresh *f)
{
	const struct registry_entry *e = find(r, f->path);
	int64_t age_ms = e != NULL ? clock_ms(CLOCK_REALTIME) - e->used_ms : 0;

	return e != NULL && e->dev == f->st.st_dev && e->ino == f->st.st_ino &&
	    age_ms >= 0 && age_ms < DAY_MS;
}

static int
enter(struct registry *r, const void *arg)
{
	const struct fresh *f = arg;

	if (is_fresh(r, f))
		return 0;
	put_first(r, f->path, &f->st);
	return 1;
}

void
registry_add(struct registry *r, const struct home *h)
{
	const struct registry_entry *e;
	struct fresh f;

	if (set_fresh(&f, h) < 0)
		return;
	e = find(r, f.path);
	if (e == NULL || e->dev != f.st.st_dev || e->ino != f.st.st_ino)
		put_first(r, f.path, &f.st);
}

/* Usually the entry exists already, and then no lock is needed. */
int
registry_record(const struct home *h)
{
	struct fresh f;
	struct registry r;
	struct place p;
	bool fresh;
	int rc;

	rc = set_fresh(&f, h);
	if (rc == 0)
		rc = open_place(&p, true, NULL);
	if (rc < 0)
		return rc;
	rc = read_entries(&r, &p);
	fresh = rc == 0 && is_fresh(&r, &f);
	registry_finish(&r);
	if (!fresh)
		rc = change(&p, enter, &f);
	fd_close(&p.dir);
	return rc;
}

static int
leave(struct registry *r, const void *arg)
{
	const struct registry_entry *e = find(r, arg);

	if (e == NULL)
		return -ENOENT;
	drop(r, (size_t)(e - r->items));
	return 1;
}

int
registry_forget(const char *path, struct error *err)
{
	struct place p;
	int rc = open_place(&p, false, err);

	if (rc < 0)
		return rc;
	rc = p.dir < 0 ? -ENOENT : change(&p, leave, path);
	fd_close(&p.dir);
	if (rc == -ENOENT)
		return error_set(err, ENOENT, "%s is not in the list of homes",
		    path);
	if (rc < 0)
		return error_set(err, -rc, "cannot write the list of homes: %s",
		    strerror(-rc));
	return 0;
}

/* ----------------------------------------------------------------- looking */

static const char *const state_names[] = {
	[REGISTRY_THERE] = "there",
	[REGISTRY_REPLACED] = "replaced",
	[REGISTRY_GONE] = "gone",
	[REGISTRY_MOVED] = "moved",
	[REGISTRY_NO_HOME] = "no_home",
	[REGISTRY_CLOSED] = "closed",
};

bool
registry_is_home(enum registry_state s)
{
	return s == REGISTRY_THERE || s == REGISTRY_REPLACED;
}

const char *
registry_state_name(enum registry_state s)
{
	return state_names[s];
}

static bool
is_at(const char *path, uint64_t dev, uint64_t ino)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}

/* The entry among the first n whose path leads to that directory now. */
static const struct registry_entry *
find_directory(const struct registry *r, size_t n, uint64_t dev, uint64_t ino)
{
	for (size_t i = 0; i < n; i++) {
		const struct registry_entry *e = &r->items[i];

		if (e->ino == ino && is_at(e->path, dev, ino))
			return e;
	}
	return NULL;
}

static bool
has_sessions(const char *path)
{
	char sessions[PATH_MAX];
	struct stat st;

	return path_join(sessions, sizeof(sessions), path, "sessions") == 0 &&
	    lstat(sessions, &st) == 0 && S_ISDIR(st.st_mode);
}

enum registry_state
registry_look(const struct registry *r, const struct registry_entry *e,
    const struct registry_entry **other)
{
	struct stat st;

	*other = NULL;
	if (lstat(e->path, &st) < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			return REGISTRY_CLOSED;
		*other = find_directory(r, r->n, e->dev, e->ino);
		return *other != NULL ? REGISTRY_MOVED : REGISTRY_GONE;
	}
	if (!S_ISDIR(st.st_mode))
		return REGISTRY_NO_HOME;
	if (faccessat(AT_FDCWD, e->path, R_OK | X_OK, AT_EACCESS) < 0)
		return REGISTRY_CLOSED;
	if (!has_sessions(e->path))
		return REGISTRY_NO_HOME;
	*other = find_directory(r, (size_t)(e - r->items), st.st_dev,
	    st.st_ino);
	return st.st_ino == e->ino ? REGISTRY_THERE : REGISTRY_REPLACED;
}

static bool
is_useless(const struct registry *r, const struct registry_entry *e)
{
	const struct registry_entry *other;

	switch (registry_look(r, e, &other)) {
	case REGISTRY_MOVED:
		return true;
	case REGISTRY_GONE:
	case REGISTRY_NO_HOME:
		return clock_ms(CLOCK_REALTIME) - e->used_ms >
		    REGISTRY_KEEP_DAYS * DAY_MS;
	default:
		return other != NULL;
	}
}

/* From the end, so that the newer of two entries for a directory stays. */
static int
prune(struct registry *r, const void *arg)
{
	size_t before = r->n;

	(void)arg;
	for (size_t i = r->n; i-- > 0;)
		if (is_useless(r, &r->items[i]))
			drop(r, i);
	return r->n != before;
}

int
registry_prune(void)
{
	struct place p;
	int rc = open_place(&p, false, NULL);

	if (rc == 0 && p.dir >= 0)
		rc = change(&p, prune, NULL);
	fd_close(&p.dir);
	return rc;
}
