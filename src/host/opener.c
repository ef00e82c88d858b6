#include "host/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "host/thread.h"
#include "log/writer.h"

#define RETRY_MS 1000
#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

struct opener {
	int dirfd, notify_fd;
	pthread_t thread;
	bool started;

	pthread_mutex_t lock;
	pthread_cond_t wake;
	/* Under the lock. */
	struct log_writer *writer; /* NULL: not yet */
	struct log_end end;
	bool quit;
};

/* Made only when it is missing: on a disk that hangs, even that would hang. */
int
opener_directory(int dirfd)
{
	int fd = openat(dirfd, "log", DIRECTORY);

	if (fd < 0 && errno == ENOENT) {
		if (mkdirat(dirfd, "log", 0700) < 0 && errno != EEXIST)
			return -errno;
		fd = openat(dirfd, "log", DIRECTORY);
	}
	return fd < 0 ? -errno : fd;
}

int
opener_open(int dirfd, struct log_writer **writer, struct log_end *end,
    struct error *err)
{
	auto_close int fd = opener_directory(dirfd);

	if (fd < 0)
		return error_set(err, -fd, "cannot open log/: %s",
		    strerror(-fd));
	return log_writer_open(writer, fd, end, err);
}

static bool
try(struct opener *o)
{
	struct log_writer *writer;
	struct log_end end;

	if (opener_open(o->dirfd, &writer, &end, NULL) < 0)
		return false;
	pthread_mutex_lock(&o->lock);
	o->writer = writer;
	o->end = end;
	pthread_mutex_unlock(&o->lock);
	fd_poke(o->notify_fd);
	return true;
}

/* False: it is the end. */
static bool
wait_a_second(struct opener *o)
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
	struct opener *o = arg;

	while (wait_a_second(o) && !try(o))
		continue;
	return NULL;
}

struct opener *
opener_create(int dirfd, int notify_fd)
{
	struct opener *o = xcalloc(1, sizeof(*o));

	o->dirfd = dirfd;
	o->notify_fd = notify_fd;
	pthread_mutex_init(&o->lock, NULL);
	thread_cond_init(&o->wake);
	o->started = thread_start(&o->thread, "tend-opener", run, o) == 0;
	if (!o->started) {
		opener_destroy(o);
		return NULL;
	}
	return o;
}

void
opener_destroy(struct opener *o)
{
	if (o == NULL)
		return;
	if (o->started) {
		pthread_mutex_lock(&o->lock);
		o->quit = true;
		pthread_cond_signal(&o->wake);
		pthread_mutex_unlock(&o->lock);
		pthread_join(o->thread, NULL);
	}
	log_writer_close(o->writer);
	pthread_cond_destroy(&o->wake);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

bool
opener_take(struct opener *o, struct log_writer **writer, struct log_end *end)
{
	bool ready;

	pthread_mutex_lock(&o->lock);
	ready = o->writer != NULL;
	if (ready) {
		*writer = o->writer;
		*end = o->end;
		o->writer = NULL;
	}
	pthread_mutex_unlock(&o->lock);
	return ready;
}
