#ifndef TEND_HOST_CORE_SESSION_H
#define TEND_HOST_CORE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "host/core/display.h"
#include "host/core/output_flow.h"
#include "host/core/terminal.h"
#include "host/core/turn.h"
#include "session/manifest.h"

struct event_log;
struct loop;
struct manifest_writer;
struct notice_board;

struct session_hooks {
	/*
	 * Called before session.json is written: bring the manifest up to
	 * date.
	 */
	void (*on_save)(void *arg);
};

/*
 * The state that every part of the host shares: the manifest, the log, the
 * terminal and the display.  A part gets a pointer to this and to the lower
 * parts that it uses; only host.h knows all parts.
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
	/* Its thread writes session.json and host.log. */
	struct manifest_writer *manifest_writer;
	/* Decides when to write changes that listings show. */
	struct notice_board *notice_board;
	struct event_log *event_log;

	uint64_t began_ns; /* CLOCK_BOOTTIME; the log's times count from it */
	int64_t active_ms; /* CLOCK_MONOTONIC of the last output or input */
	bool exited;       /* the program exited; output may still come */
	bool ended;        /* the exit is known and logged */
	int64_t ended_ns;  /* CLOCK_BOOTTIME of that event; 0: unknown */
	int log_error;     /* errno of a failed write; 0: none, or only slow */

	struct terminal terminal;
	struct display display;
	struct output_flow output_flow;

	const struct session_hooks *hooks;
	void *arg; /* of the hooks */
};

/* Nanoseconds since the session began, as the log counts. */
uint64_t session_now_ns(const struct session *session);

/*
 * Write session.json now.  session_save waits for the disk, so that a reader
 * finds the change: up to MANIFEST_WRITER_WAIT_MS, and without a limit once
 * the session has ended (manifest_writer.h).  session_write does not wait; it
 * does nothing after the session's end, when only the ending writes the file.
 */
void session_save(struct session *session);
void session_write(struct session *session);

/* Something changed that listings show: write it soon (notice_board.h). */
void session_save_later(struct session *session);

/* There was input or output: restart the idle timeout. */
void session_touch(struct session *session);

#endif
