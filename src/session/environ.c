#include "session/environ.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/mem.h"

#define FILE_NAME "environ"

int
environ_write(int dirfd, char *const *envp)
{
	auto_close int fd = openat(dirfd, FILE_NAME,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct buf b;
	int rc;

	if (fd < 0 || fchmod(fd, 0600) < 0)
		return -errno;
	buf_init(&b, ENVIRON_MAX);
	for (; *envp != NULL; envp++)
		buf_append(&b, *envp, strlen(*envp) + 1);
	rc = b.full ? -E2BIG : fd_write_all(fd, b.data, b.len);
	buf_finish(&b);
	return rc;
}

static uint32_t
known_as(uint32_t crc)
{
	return crc == 0 ? 1 : crc;
}

uint32_t
environ_crc(char *const *envp)
{
	uint32_t crc = 0;

	for (; *envp != NULL; envp++)
		crc = crc32c(crc, *envp, strlen(*envp) + 1);
	return known_as(crc);
}

/* Read a whole regular file that no other user can have written. */
static int
read_file(int dirfd, struct buf *b)
{
	struct stat st;
	auto_close int fd = file_open(dirfd, FILE_NAME, &st);

	if (fd < 0)
		return fd;
	if (!S_ISREG(st.st_mode) || (st.st_mode & 022))
		return -EPERM;
	return file_read(fd, ENVIRON_MAX, b);
}

static char **
split(const char *p, size_t len)
{
	const char *end = p + len;
	char **envp;
	size_t n = 0;

	for (const char *s = p; s < end; s += strlen(s) + 1)
		n++;
	envp = xcalloc(n + 1, sizeof(*envp));
	n = 0;
	for (const char *s = p; s < end; s += strlen(s) + 1)
		envp[n++] = xstrdup(s);
	return envp;
}

char **
environ_read(int dirfd, uint32_t crc, struct error *err)
{
	char **envp = NULL;
	struct buf b;
	int rc;

	buf_init(&b, ENVIRON_MAX + 1);
	rc = read_file(dirfd, &b);
	if (rc == 0 && crc != 0 && known_as(crc32c(0, b.data, b.len)) != crc)
		rc = -EBADMSG;
	/*
	 * An older tend may have cut the file without a NUL; use the whole
	 * entries.
	 */
	if (rc == 0)
		rc = buf_putc(&b, '\0');
	if (rc == 0)
		envp = split((char *)b.data, b.len - 1);
	else
		error_set(err, -rc, "cannot read its environment: %s",
		    rc == -EBADMSG ? "the file environ is damaged" :
				     strerror(-rc));
	buf_finish(&b);
	return envp;
}

const char *
environ_value(char *const *envp, const char *name)
{
	size_t len = strlen(name);

	for (; *envp != NULL; envp++)
		if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=')
			return *envp + len + 1;
	return NULL;
}
