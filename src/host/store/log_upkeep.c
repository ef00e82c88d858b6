#include "host/store/log_upkeep.h"

#include <errno.h>

#include "base/clock.h"
#include "host/system/thread.h"
#include "log/writer.h"

#define SYNC_EVERY_MS 1000
#define QUIET_MS 1000

/*
 * The room below the budget when the oldest segments are removed, for writes
 * until that is done.  Segments are removed until there is twice that room.
 * Not more: with a small budget one segment is half of the log.
 */
#define ROOM (1u << 20)

static void
sync_again_later(struct log_upkeep *c)
{
	pthread_mutex_lock(&c->lock);
	c->dirty = true;
	c->due_ms = clock_ms(CLOCK_MONOTONIC) + SYNC_EVERY_MS;
	pthread_mutex_unlock(&c->lock);
}

static void
sync_log(struct log_upkeep *c)
{
	int rc = log_writer_sync(c->writer);

	if (rc == -EMFILE || rc == -ENFILE) {
		sync_again_later(c);
	} else if (rc < 0 && log_writer_is_left(c->writer)) {
		c->ops->sync_failed(c->arg, -rc);
	} else if (rc < 0) { /* of earlier writes */
		c->ops->trouble(c->arg, "sync", -rc);
		sync_again_later(c);
	}
}

static void
trim(struct log_upkeep *c)
{
	uint64_t seq, offset;
	int rc;

	if (c->max_log == 0)
		return;
	rc = log_writer_trim(c->writer,
	    c->max_log > 2 * ROOM ? c->max_log - 2 * ROOM : 0, &seq, &offset);
	if (rc > 0)
		c->ops->trimmed(c->arg, seq, offset);
	else if (rc < 0)
		c->ops->trouble(c->arg, "trim", -rc);
}

/* True if it is time to compress.  The lock is held. */
static bool
may_compress(const struct log_upkeep *c)
{
	uint64_t most = LOG_UPKEEP_BACKLOG;

	if (c->max_log / 4 / LOG_SEGMENT_SIZE < most && c->max_log != 0)
		most = c->max_log / 4 / LOG_SEGMENT_SIZE;
	return c->sealed > 0 &&
	    (c->sealed > most ||
		clock_ms(CLOCK_MONOTONIC) >= c->written_ms + QUIET_MS);
}

/* Compress one segment.  It may be gone because it was trimmed. */
static void
compress(struct log_upkeep *c)
{
	int rc = log_writer_compress(c->writer);

	if (rc < 0)
		c->ops->trouble(c->arg, "compress", -rc);
	pthread_mutex_lock(&c->lock);
	if (rc <= 0)
		c->sealed = 0;
	else if (c->sealed > 1)
		c->sealed--;
	pthread_mutex_unlock(&c->lock);
}

/* The next thing to do; NULL: nothing, or the end.  The lock is held. */
typedef void chore_fn(struct log_upkeep *c);

static chore_fn *
chore_due(struct log_upkeep *c)
{
	if (c->writer == NULL)
		return NULL;
	/*
	 * Remove before the sync: otherwise segments to be removed are synced,
	 * and the disk may overrun.
	 */
	if (c->grown) {
		c->grown = false;
		return trim;
	}
	if (c->dirty && clock_ms(CLOCK_MONOTONIC) >= c->due_ms) {
		c->dirty = false;
		return sync_log;
	}
	return NULL;
}

static chore_fn *
next_chore(struct log_upkeep *c)
{
	while (!c->quit) {
		chore_fn *fn = chore_due(c);

		if (fn != NULL)
			return fn;
		thread_wait(&c->wake, &c->lock,
		    c->writer != NULL && c->dirty ? c->due_ms : -1);
	}
	return NULL;
}

static void *
run(void *arg)
{
	struct log_upkeep *c = arg;
	chore_fn *fn;

	pthread_mutex_lock(&c->lock);
	while ((fn = next_chore(c)) != NULL) {
		pthread_mutex_unlock(&c->lock);
		fn(c);
		pthread_mutex_lock(&c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Wait for a segment to compress; false: it is time to end. */
static bool
await_sealed(struct log_upkeep *c)
{
	while (!c->quit && (c->writer == NULL || !may_compress(c)))
		thread_wait(&c->idle_wake, &c->lock,
		    c->writer != NULL && c->sealed > 0 ?
			c->written_ms + QUIET_MS :
			-1);
	return !c->quit;
}

/*
 * A thread cannot leave idle priority, and on a busy machine an idle thread
 * ends slowly.  So it becomes idle when it first has work.
 */
static void *
run_idle(void *arg)
{
	struct log_upkeep *c = arg;
	bool idle = false;

	pthread_mutex_lock(&c->lock);
	while (await_sealed(c)) {
		pthread_mutex_unlock(&c->lock);
		if (!idle)
			thread_be_idle();
		idle = true;
		compress(c);
		pthread_mutex_lock(&c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

int
log_upkeep_start(struct log_upkeep *c)
{
	int rc;

	pthread_mutex_init(&c->lock, NULL);
	thread_cond_init(&c->wake);
	thread_cond_init(&c->idle_wake);
	c->grown = true;
	/* A new host has clients to serve first. */
	c->written_ms = clock_ms(CLOCK_MONOTONIC);
	rc = thread_start(&c->thread, "tend-upkeep", run, c);
	c->started = rc == 0;
	if (rc == 0)
		rc = thread_start(&c->idle_thread, "tend-press", run_idle, c);
	c->idle_started = rc == 0;
	return rc;
}

void
log_upkeep_stop(struct log_upkeep *c)
{
	if (!c->started)
		return;
	pthread_mutex_lock(&c->lock);
	c->quit = true;
	pthread_cond_signal(&c->wake);
	pthread_cond_signal(&c->idle_wake);
	pthread_mutex_unlock(&c->lock);
	pthread_join(c->thread, NULL);
	if (c->idle_started)
		pthread_join(c->idle_thread, NULL);
	c->started = c->idle_started = false;
	pthread_cond_destroy(&c->wake);
	pthread_cond_destroy(&c->idle_wake);
	pthread_mutex_destroy(&c->lock);
}

void
log_upkeep_begin(struct log_upkeep *c, struct log_writer *writer)
{
	pthread_mutex_lock(&c->lock);
	c->writer = writer;
	c->sealed += log_writer_plain(writer);
	pthread_cond_signal(&c->wake);
	pthread_cond_signal(&c->idle_wake);
	pthread_mutex_unlock(&c->lock);
}

/* Wake the thread once a second, not for every write. */
void
log_upkeep_written(struct log_upkeep *c, uint64_t bytes, bool dirty)
{
	bool wake = false;

	pthread_mutex_lock(&c->lock);
	c->written_ms = clock_ms(CLOCK_MONOTONIC);
	if (dirty && !c->dirty) {
		c->dirty = wake = true;
		c->due_ms = c->written_ms + SYNC_EVERY_MS;
	}
	if (c->max_log != 0 && bytes + ROOM > c->max_log)
		c->grown = wake = true;
	if (wake)
		pthread_cond_signal(&c->wake);
	pthread_mutex_unlock(&c->lock);
}

void
log_upkeep_sealed(struct log_upkeep *c)
{
	pthread_mutex_lock(&c->lock);
	c->sealed++;
	pthread_cond_signal(&c->idle_wake);
	pthread_mutex_unlock(&c->lock);
}
