#include "session/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define BLOCK 512 /* the unit of st_blocks */

/*
 * Called for each entry; a failure is returned after all entries were visited.
 */
typedef int entry_fn(int dirfd, const char *name, unsigned depth, void *arg);

static int
is_no_dot(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 &&
	    strcmp(entry->d_name, "..") != 0;
}

static int
each(int dirfd, unsigned depth, entry_fn *fn, void *arg)
{
	struct dirent **entries;
	int n = scandirat(dirfd, ".", &entries, is_no_dot, NULL), rc = 0;

	if (n < 0)
		return errno == ENOENT ? 0 : -errno;
	for (int i = 0; i < n; i++) {
		int r = fn(dirfd, entries[i]->d_name, depth, arg);

		rc = r < 0 ? r : rc;
		free(entries[i]);
	}
	free(entries);
	return rc;
}

static int
go_down(int parent, const char *name, unsigned depth, entry_fn *fn, void *arg)
{
	auto_close int fd = openat(parent, name, OPEN_DIR);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	return depth > 0 ? each(fd, depth - 1, fn, arg) : -ELOOP;
}

static int
remove_one(int parent, const char *name, unsigned depth, void *arg)
{
	int rc;

	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR)
		return -errno;
	rc = go_down(parent, name, depth, remove_one, arg);
	if (rc == 0 && unlinkat(parent, name, AT_REMOVEDIR) < 0 &&
	    errno != ENOENT)
		rc = -errno;
	return rc;
}

int
tree_remove(int parent, const char *name)
{
	return remove_one(parent, name, TREE_DEPTH, NULL);
}

static void
count(const struct stat *st, struct tree_size *size)
{
	int64_t ms = (int64_t)st->st_mtim.tv_sec * 1000 +
	    st->st_mtim.tv_nsec / 1000000;

	size->bytes += (uint64_t)st->st_blocks * BLOCK;
	if (ms > size->newest_ms)
		size->newest_ms = ms;
}

static int
measure_one(int parent, const char *name, unsigned depth, void *arg)
{
	struct stat st;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	count(&st, arg);
	if (!S_ISDIR(st.st_mode))
		return 0;
	return go_down(parent, name, depth, measure_one, arg);
}

int
tree_measure(int dirfd, struct tree_size *out)
{
	struct tree_size size = { 0 };
	struct stat st;
	int rc;

	if (fstat(dirfd, &st) < 0)
		return -errno;
	count(&st, &size);
	rc = each(dirfd, TREE_DEPTH - 1, measure_one, &size);
	if (rc == 0)
		*out = size;
	return rc;
}
