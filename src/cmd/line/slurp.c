#include "cmd/line/slurp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"

#define PIECE 65536

static int
read_all(int fd, const char *name, struct buf *out, struct error *err)
{
	for (;;) {
		size_t left = out->max - out->len;
		char more[PIECE];
		ssize_t n = read(fd, more, sizeof(more));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set(err, errno, "cannot read %s: %s", name,
			    strerror(errno));
		if (n == 0)
			return 0;
		if ((size_t)n > left)
			return error_set(err, EMSGSIZE,
			    "%s is longer than %zu KiB; send it in parts", name,
			    out->max >> 10);
		buf_append(out, more, (size_t)n);
	}
}

int
slurp(const char *path, struct buf *out, struct error *err)
{
	auto_close int fd = -1;

	if (strcmp(path, "-") == 0)
		return read_all(STDIN_FILENO, "standard input", out, err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, errno, "cannot open %s: %s", path,
		    strerror(errno));
	return read_all(fd, path, out, err);
}
