#include "keeper/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"

#define NAME "sock"
#define BACKLOG 128

/* The file must be closed to other users from its first moment. */
static int
bind_private(int fd, int dir)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	mode_t mask;
	int rc;

	snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/" NAME,
	    dir);
	mask = umask(0177);
	rc = bind(fd, (struct sockaddr *)&addr, sizeof(addr));
	umask(mask);
	return rc;
}

int
listener_open(struct listener *l, int dir)
{
	struct stat st;
	auto_close int fd = socket(AF_UNIX,
	    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (unlinkat(dir, NAME, 0) < 0 && errno != ENOENT)
		return -errno;
	if (bind_private(fd, dir) < 0)
		return -errno;
	if (listen(fd, BACKLOG) < 0 ||
	    fstatat(dir, NAME, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		int rc = -errno;

		unlinkat(dir, NAME, 0);
		return rc;
	}
	*l = (struct listener){ dir, fd_take(&fd), st.st_dev, st.st_ino, true };
	return 0;
}

static bool
is_ours(const struct listener *l)
{
	struct stat st;

	return fstatat(l->dir, NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_dev == l->dev && st.st_ino == l->ino;
}

bool
listener_check(struct listener *l)
{
	int old = l->fd;

	l->bound = is_ours(l);
	if (l->bound || listener_open(l, l->dir) < 0)
		return false;
	fd_close(&old);
	return true;
}

bool
listener_watch(const struct listener *l)
{
	return fcntl(l->dir, F_NOTIFY, DN_DELETE | DN_RENAME | DN_MULTISHOT) ==
	    0;
}

void
listener_close(struct listener *l)
{
	if (is_ours(l))
		unlinkat(l->dir, NAME, 0);
	fd_close(&l->fd);
}
