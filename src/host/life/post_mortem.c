#include "host/life/post_mortem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "host/core/session.h"
#include "vt/render.h"
#include "vt/text.h"
#include "vt/vt.h"

#define TEXT_MAX (16u << 20)
#define DIRECTORY "artifacts"
#define MAIN_FILE DIRECTORY "/post-mortem.txt"

static void
drop_blank_end(struct buf *b)
{
	while (b->len > 0 &&
	    (b->data[b->len - 1] == '\n' || b->data[b->len - 1] == ' '))
		b->len--;
	buf_putc(b, '\n');
}

static void
all_text(const struct vt *vt, struct buf *b)
{
	struct vt_history_iter *it = vt_history_begin(vt);
	struct vt_lines lines;
	struct vt_row row;

	vt_lines_begin(&lines, vt, b);
	while (vt_history_next(it, &row))
		vt_lines_add(&lines, &row);
	vt_history_end(it);
	for (unsigned y = 0; y < vt_rows(vt); y++) {
		vt_screen_row(vt, y, &row);
		vt_lines_add(&lines, &row);
	}
	drop_blank_end(b);
}

/* The offset of the last n lines. */
static size_t
last_lines(const struct buf *b, unsigned n)
{
	size_t at = b->len;

	while (at > 0 && (b->data[at - 1] != '\n' || at == b->len || n-- > 1))
		at--;
	return at;
}

static int
write_file(int dirfd, const char *name, const void *p, size_t len)
{
	auto_close int fd = openat(dirfd, name,
	    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	return fd < 0 ? -errno : fd_write_all(fd, p, len);
}

static int
write_lines(const struct session *session)
{
	struct buf b;
	size_t from, few;
	int rc;

	buf_init(&b, TEXT_MAX);
	all_text(session->display.vt, &b);
	from = last_lines(&b, POST_MORTEM_LINES);
	few = last_lines(&b, POST_MORTEM_SHORT);
	rc = write_file(session->dirfd, MAIN_FILE, b.data + from, b.len - from);
	if (rc == 0)
		rc = write_file(session->dirfd, DIRECTORY "/post-mortem-50.txt",
		    b.data + few, b.len - few);
	buf_finish(&b);
	return rc;
}

static int
write_screen(const struct session *session)
{
	struct buf b;
	int rc;

	buf_init(&b, TEXT_MAX);
	vt_text(session->display.vt, &b);
	buf_putc(&b, '\n');
	rc = write_file(session->dirfd, DIRECTORY "/final-screen.txt", b.data,
	    b.len);
	buf_clear(&b);
	vt_render(session->display.vt, 0, &b);
	if (rc == 0)
		rc = write_file(session->dirfd, DIRECTORY "/final-screen.ansi",
		    b.data, b.len);
	buf_finish(&b);
	return rc;
}

void
post_mortem_write(struct session *session)
{
	int rc;

	if (session->display.vt == NULL)
		return;
	if (mkdirat(session->dirfd, DIRECTORY, 0700) < 0 && errno != EEXIST)
		rc = -errno;
	else
		rc = write_lines(session);
	if (rc == 0)
		rc = write_screen(session);
	if (rc < 0) {
		log_write(&session->log, LOG_WARN, "no post-mortem",
		    log_str("error", strerror(-rc)));
		return;
	}
	free(session->manifest.post_mortem);
	session->manifest.post_mortem = xstrdup(MAIN_FILE);
}
