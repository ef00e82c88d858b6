#include "host/store/log_opener.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "host/system/proc.h"
#include "host/system/thread.h"
#include "log/writer.h"

#define RETRY_MS 1000
#define LOOK_MS 20
#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

struct log_opener {
	int dirfd, notify_fd;
	pthread_t thread;
	bool started;

	pthread_mutex_t lock;
	pthread_cond_t wake;
	/* Under the lock. */
	pid_t tid;
	struct log_writer *writer; /* NULL: not yet */
	struct log_end end;
	bool tried; /* at least once, with this result: */
	int rc;
	struct error err;
	bool quit;
};

/*
 * Create it only if it is missing: on a disk that hangs, even mkdir would
 * hang.
 */
int
log_opener_directory(int dirfd)
{
	int fd = openat(dirfd, "log", DIRECTORY);

	if (fd < 0 && errno == ENOENT) {
		if (mkdirat(dirfd, "log", 0700) < 0 && errno != EEXIST)
			return -errno;
		fd = openat(dirfd, "log", DIRECTORY);
	}
	return fd < 0 ? -errno : fd;
}

/* Open the log in it for writing; see log_writer_open. */
static int
open_log(int dirfd, struct log_writer **writer, struct log_end *end,
    struct error *err)
{
	auto_close int fd = log_opener_directory(dirfd);

	if (fd < 0)
		return error_set(err, -fd, "cannot open log/: %s",
		    strerror(-fd));
	return log_writer_open(writer, fd, end, err);
}

static bool
try(struct log_opener *o)
{
	struct log_writer *writer = NULL;
	struct log_end end;
	struct error err = { 0 };
	int rc = open_log(o->dirfd, &writer, &end, &err);

	pthread_mutex_lock(&o->lock);
	o->rc = rc;
	o->err = err;
	if (rc == 0) {
		o->writer = writer;
		o->end = end;
	}
	o->tried = true;
	pthread_cond_broadcast(&o->wake);
	if (rc == 0 && o->notify_fd >= 0)
		fd_poke(o->notify_fd);
	pthread_mutex_unlock(&o->lock);
	return rc == 0;
}

/* False: it is time to end. */
static bool
wait_a_second(struct log_opener *o)
{
	int64_t until = clock_ms(CLOCK_MONOTONIC) + RETRY_MS;
	bool quit;

	pthread_mutex_lock(&o->lock);
	while (!o->quit && clock_ms(CLOCK_MONOTONIC) < until)
		thread_wait(&o->wake, &o->lock, until);
	quit = o->quit;
	pthread_mutex_unlock(&o->lock);
	return !quit;
}

static void *
run(void *arg)
{
	struct log_opener *o = arg;

	pthread_mutex_lock(&o->lock);
	o->tid = gettid();
	pthread_mutex_unlock(&o->lock);
	while (!try(o) && wait_a_second(o))
		continue;
	return NULL;
}

struct log_opener *
log_opener_create(int dirfd)
{
	struct log_opener *o = xcalloc(1, sizeof(*o));

	o->dirfd = dirfd;
	o->notify_fd = -1;
	pthread_mutex_init(&o->lock, NULL);
	thread_cond_init(&o->wake);
	o->started = thread_start(&o->thread, "tend-log-open", run, o) == 0;
	if (!o->started) {
		log_opener_destroy(o);
		return NULL;
	}
	return o;
}

/* The lock is held.  On a busy machine the thread may wait for a processor. */
static bool
hangs(const struct log_opener *o, int64_t began_ms)
{
	return clock_ms(CLOCK_MONOTONIC) - began_ms >= LOG_OPENER_HANGS_MS &&
	    o->tid != 0 && !proc_thread_runs(o->tid);
}

int
log_opener_wait(struct log_opener *o, bool give_up, struct error *err)
{
	int64_t began = clock_ms(CLOCK_MONOTONIC);
	int rc;

	pthread_mutex_lock(&o->lock);
	while (!o->tried && !(give_up && hangs(o, began)))
		thread_wait(&o->wake, &o->lock,
		    clock_ms(CLOCK_MONOTONIC) + LOOK_MS);
	if (o->tried && o->rc < 0)
		rc = error_set(err, -o->rc, "%s", o->err.msg);
	else if (!o->tried)
		rc = error_set(err, ETIMEDOUT,
		    "cannot write the log: the disk hangs");
	else
		rc = 0;
	pthread_mutex_unlock(&o->lock);
	return rc;
}

void
log_opener_notify(struct log_opener *o, int fd)
{
	pthread_mutex_lock(&o->lock);
	o->notify_fd = fd;
	if (o->writer != NULL)
		fd_poke(fd);
	pthread_mutex_unlock(&o->lock);
}

void
log_opener_destroy(struct log_opener *o)
{
	if (o == NULL)
		return;
	if (o->started) {
		pthread_mutex_lock(&o->lock);
		o->quit = true;
		pthread_cond_broadcast(&o->wake);
		pthread_mutex_unlock(&o->lock);
		pthread_join(o->thread, NULL);
	}
	log_writer_close(o->writer);
	pthread_cond_destroy(&o->wake);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

bool
log_opener_take(struct log_opener *o, uint64_t offset,
    struct log_writer **writer, struct log_end *end)
{
	bool ready;

	pthread_mutex_lock(&o->lock);
	ready = o->writer != NULL && o->end.offset <= offset;
	if (ready) {
		*writer = o->writer;
		*end = o->end;
		o->writer = NULL;
	}
	pthread_mutex_unlock(&o->lock);
	return ready;
}
