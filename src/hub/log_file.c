#include "hub/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/log.h"
#include "session/home.h"

#define NAME "hub.log"

static int
open_file(const struct home *home)
{
	return openat(home->fd, NAME,
	    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

int
log_file_open(struct log *log, const struct home *home, struct error *err)
{
	log->fd = open_file(home);
	if (log->fd < 0)
		return error_set(err, errno, "cannot open %s/" NAME ": %s",
		    home->path, strerror(errno));
	log_file_limit(log, home);
	return 0;
}

static bool
is_full(const struct log *log)
{
	struct stat st;

	return fstat(log->fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size >= (off_t)LOG_FILE_MAX;
}

void
log_file_limit(struct log *log, const struct home *home)
{
	int fd;

	if (!is_full(log) || renameat(home->fd, NAME, home->fd, NAME ".1") < 0)
		return;
	fd = open_file(home);
	if (fd < 0)
		return; /* the old file goes on under its new name */
	fd_close(&log->fd);
	log->fd = fd;
}
