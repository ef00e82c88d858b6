#ifndef TEND_HOST_CORE_SESSION_H
#define TEND_HOST_CORE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "host/core/display.h"
#include "host/core/intake.h"
#include "host/core/terminal.h"
#include "host/core/turn.h"
#include "session/manifest.h"

struct event_log;
struct loop;
struct manifest_writer;
struct notice_board;

struct session_hooks {
	/*
	 * session.json is about to be written: bring the manifest up to date.
	 */
	void (*on_save)(void *arg);
};

/*
 * The state that every part of the host shares: the manifest, the log, the
 * terminal and the display.  A part takes this and the lower parts that it
 * uses; only host.h knows all parts.
 */
struct session {
	struct loop *loop;
	struct turn turn;
	struct log log; /* host.log in the session's directory */

	int dirfd;     /* the session's directory */
	int log_dirfd; /* its log/, for readers */
	int control;   /* to the keeper; -1 after it died (keeper_gone.h) */
	uint32_t keeper_version;

	/* Call session_save after each change. */
	struct manifest manifest;
	struct manifest_writer *manifest_writer; /* and host.log */
	/* Decides when to write changes for listings. */
	struct notice_board *notice_board;
	struct event_log *event_log;

	uint64_t began_ns; /* CLOCK_BOOTTIME; the log's times count from it */
	int64_t active_ms; /* CLOCK_MONOTONIC of the last output or input */
	bool exited;       /* the program exited; output may still come */
	bool ended;        /* the exit is known and logged */
	int64_t ended_ns;  /* CLOCK_BOOTTIME of that event; 0: unknown */
	int log_error;     /* why the log is behind; 0: not behind, or slow */

	struct terminal terminal;
	struct display display;
	struct intake intake;

	const struct session_hooks *hooks;
	void *arg; /* of the hooks */
};

/* Nanoseconds since the session began, as the log counts. */
uint64_t session_now_ns(const struct session *session);

/*
 * Write session.json now.  session_save waits a moment for the disk, so that a
 * reader finds the change.  session_write does not wait, and does nothing
 * after the session's end, when only the steps of the ending write.
 */
void session_save(struct session *session);
void session_write(struct session *session);

/* Something changed that listings show: write it soon (notice_board.h). */
void session_save_later(struct session *session);

/* There was input or output: restart the idle timeout. */
void session_touch(struct session *session);

#endif
