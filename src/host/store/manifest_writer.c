#include "host/store/manifest_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/failpoint.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/mem.h"
#include "host/system/thread.h"
#include "session/manifest.h"

#define HOST_LOG_MAX (1 << 20) /* host.log is for people */

struct manifest_writer {
	int dirfd;
	int lines[2]; /* the pipe to host.log */
	int wake;     /* eventfd: there is a manifest, or it is time to end */
	pthread_t thread;
	bool started;

	pthread_mutex_t lock;
	pthread_cond_t done;
	/* Under the lock. */
	struct buf text; /* of the waiting manifest; empty: none */
	bool sync;
	uint64_t asked, saved; /* manifests, by their number */
	bool slow;             /* a caller has waited until the timeout */
	int64_t behind_ms;     /* since when one is not saved */
	bool quit;

	struct log log; /* used by the thread only: host.log itself */
};

/* ------------------------------------------------------------- the thread */

static void
open_log(struct manifest_writer *c)
{
	struct stat st;

	if (c->log.fd < 0)
		c->log.fd = openat(c->dirfd, "host.log",
		    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	if (fstat(c->log.fd, &st) == 0 && st.st_size > HOST_LOG_MAX &&
	    ftruncate(c->log.fd, 0) < 0)
		fd_close(&c->log.fd);
}

/* Copy new lines to host.log; true if there were any. */
static bool
pass_lines(struct manifest_writer *c)
{
	char lines[LOG_LINE_MAX];
	ssize_t n = read(c->lines[0], lines, sizeof(lines));

	if (n <= 0)
		return false;
	open_log(c);
	fd_write_all(c->log.fd, lines, (size_t)n);
	return true;
}

static void
save(struct manifest_writer *c, const struct buf *text, bool sync)
{
	struct error err;

	failpoint("before-manifest");
	if (manifest_write_text(c->dirfd, text, sync, &err) < 0) {
		open_log(c);
		log_write(&c->log, LOG_ERROR, "cannot write session.json",
		    log_str("error", err.msg));
	}
	failpoint("after-manifest");
}

/* Write the waiting manifest; false: none. */
static bool
save_next(struct manifest_writer *c)
{
	struct buf text;
	uint64_t number;
	bool sync;

	pthread_mutex_lock(&c->lock);
	text = c->text;
	sync = c->sync;
	number = c->asked;
	buf_init(&c->text, MANIFEST_MAX);
	c->sync = false;
	pthread_mutex_unlock(&c->lock);
	if (text.len == 0)
		return false;
	save(c, &text, sync);
	buf_finish(&text);
	pthread_mutex_lock(&c->lock);
	c->saved = number;
	c->behind_ms = clock_ms(CLOCK_MONOTONIC);
	c->slow = false;
	pthread_cond_signal(&c->done);
	pthread_mutex_unlock(&c->lock);
	return true;
}

static bool
is_over(struct manifest_writer *c)
{
	bool over;

	pthread_mutex_lock(&c->lock);
	over = c->quit;
	pthread_mutex_unlock(&c->lock);
	return over;
}

static void *
run(void *arg)
{
	struct manifest_writer *c = arg;
	struct pollfd fds[] = {
		{ .fd = c->lines[0], .events = POLLIN },
		{ .fd = c->wake, .events = POLLIN },
	};
	bool over = false;

	open_log(c);
	while (!over) {
		uint64_t count;
		ssize_t n;

		poll(fds, 2, -1);
		n = read(c->wake, &count, sizeof(count));
		(void)n; /* nothing there: lines have come */
		/*
		 * Check this first, so that everything before the end is seen.
		 */
		over = is_over(c);
		while (save_next(c) || pass_lines(c))
			continue;
	}
	return NULL;
}

/* ----------------------------------------------------- public functions */

static int
start(struct manifest_writer *c)
{
	int rc;

	if (pipe2(c->lines, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->wake < 0)
		return -errno;
	rc = thread_start(&c->thread, "tend-manifest", run, c);
	c->started = rc == 0;
	return rc;
}

struct manifest_writer *
manifest_writer_create(int dirfd, struct error *err)
{
	struct manifest_writer *c = xcalloc(1, sizeof(*c));
	int rc;

	*c = (struct manifest_writer){
		.dirfd = dirfd,
		.lines = { -1, -1 },
		.wake = -1,
		.log = { .fd = -1, .least = LOG_INFO },
	};
	pthread_mutex_init(&c->lock, NULL);
	thread_cond_init(&c->done);
	buf_init(&c->text, MANIFEST_MAX);
	rc = start(c);
	if (rc < 0) {
		error_set(err, -rc, "cannot start a thread for files: %s",
		    strerror(-rc));
		manifest_writer_destroy(c);
		return NULL;
	}
	return c;
}

void
manifest_writer_destroy(struct manifest_writer *c)
{
	if (c == NULL)
		return;
	if (c->started) {
		pthread_mutex_lock(&c->lock);
		c->quit = true;
		pthread_mutex_unlock(&c->lock);
		fd_poke(c->wake);
		pthread_join(c->thread, NULL);
	}
	buf_finish(&c->text);
	pthread_cond_destroy(&c->done);
	pthread_mutex_destroy(&c->lock);
	fd_close(&c->lines[0]);
	fd_close(&c->lines[1]);
	fd_close(&c->wake);
	fd_close(&c->log.fd);
	free(c);
}

void
manifest_writer_take_log(const struct manifest_writer *c, struct log *log)
{
	*log = (struct log){ .fd = c->lines[1], .least = LOG_INFO };
}

/* The lock is held. */
static void
wait_for(struct manifest_writer *c, uint64_t number, bool sync)
{
	int64_t until = clock_ms(CLOCK_MONOTONIC) + MANIFEST_WRITER_WAIT_MS;

	while (c->saved < number && (sync || !c->slow)) {
		thread_wait(&c->done, &c->lock, sync ? -1 : until);
		c->slow = c->saved < number &&
		    clock_ms(CLOCK_MONOTONIC) >= until;
	}
}

/* False if it cannot be written at all.  The lock is held. */
static bool
give(struct manifest_writer *c, const struct manifest *m, bool sync)
{
	struct buf text;

	buf_init(&text, MANIFEST_MAX);
	if (manifest_format(m, &text) < 0) {
		buf_finish(&text);
		return false;
	}
	buf_finish(&c->text);
	c->text = text;
	c->sync |= sync;
	if (c->saved == c->asked)
		c->behind_ms = clock_ms(CLOCK_MONOTONIC);
	c->asked++;
	fd_poke(c->wake);
	return true;
}

void
manifest_writer_save(struct manifest_writer *c, const struct manifest *m,
    bool sync)
{
	pthread_mutex_lock(&c->lock);
	if (give(c, m, sync))
		wait_for(c, c->asked, sync);
	pthread_mutex_unlock(&c->lock);
}

void
manifest_writer_save_later(struct manifest_writer *c, const struct manifest *m)
{
	pthread_mutex_lock(&c->lock);
	(void)give(c, m, false);
	pthread_mutex_unlock(&c->lock);
}

bool
manifest_writer_has_saved(struct manifest_writer *c)
{
	bool saved;

	pthread_mutex_lock(&c->lock);
	while (c->saved < c->asked) {
		int64_t until = c->behind_ms + MANIFEST_WRITER_ANSWER_MS;

		if (clock_ms(CLOCK_MONOTONIC) >= until)
			break;
		thread_wait(&c->done, &c->lock, until);
	}
	saved = c->saved >= c->asked;
	pthread_mutex_unlock(&c->lock);
	return saved;
}
