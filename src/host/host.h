#ifndef TEND_HOST_HOST_H
#define TEND_HOST_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "host/core/changes.h"
#include "keep/control.h"
#include "keep/ring.h"
#include "session/manifest.h"

struct manifest_writer;
struct notice_board;
struct ending;
struct error;
struct last_line;
struct handover;
struct ledger;
struct keeper_link;
struct loop;
struct oom;
struct pump;
struct restart;
struct execs;
struct event_log;
struct server;
struct status_watch;
struct stop;
struct vt;
struct waits;
struct wall_clock;
struct watch;

/*
 * tend-host: one session's log, screen and viewers.  The keeper has the
 * terminal and the program, and starts another host when this one dies, so
 * whatever is here must be found again in the ring, the log or session.json.
 *
 * A turn of the loop:
 *
 *	wait	   libuv
 *	handle	   connections, timers, control; handlers change state
 *	settle 1   pump: take the bytes [shown, head) of the ring to the engine,
 *		   as OUTPUT to the event log's list, and to server_output()
 *	settle 2   server_flush(): viewers first, the ring keeps the bytes safe
 *	settle 3   the event log's thread is woken; it alone waits for the disk
 *
 * Everything here is the loop thread's.  Other threads are the event log's
 * (event_log.h), which touch nothing but the log and the ring's tail, and the
 * manifest_writer's (manifest_writer.h).
 */
struct host {
	struct loop *loop;
	struct manifest_writer
	    *manifest_writer; /* writes session.json and host.log */
	struct notice_board *notice_board; /* when it writes session.json */
	struct log log; /* host.log in the session's directory */

	int dirfd;     /* the session's directory */
	int log_dirfd; /* its log/, for readers */
	int control;   /* to the keeper; -1 once that is gone (keeper_gone.h) */
	uint32_t keeper_version;
	int listen;    /* the session's socket, for accept(2) */
	int master;    /* of the terminal; non-blocking */
	int output_fd; /* eventfd: the keeper has put bytes into the ring */
	int room_fd;   /* eventfd: there is room in the ring again */
	struct ring ring;

	/* What the session is.  Change it by the functions below only. */
	struct manifest manifest;
	uint64_t began_ns; /* CLOCK_BOOTTIME; the log's times count from it */

	/*
	 * The screen after all bytes before `shown`.  NULL in raw mode, where
	 * the engine has crashed too often: bytes are logged and passed on,
	 * and everything works but what needs a screen.
	 */
	struct vt *vt;
	uint64_t shown;
	struct changes changes; /* which event changed what of it */
	struct ledger *ledger;  /* since when its lines stand there */

	/* Bytes before it were answered (or not) by a host before this one. */
	uint64_t replies_from;

	struct event_log *event_log;
	struct server *server;
	struct pump *pump;
	struct ending *ending;
	struct restart *restart;
	struct stop *stop;
	struct handover *handover;
	struct keeper_link *keeper_link;
	struct wall_clock *wall_clock;
	struct last_line *last_line;
	struct status_watch *status_watch;
	struct waits *waits;
	struct execs *execs;
	struct oom *oom;    /* of its cgroup, or NULL */
	struct watch *idle; /* timer of the idle timeout, or NULL */

	int64_t active_ms; /* CLOCK_MONOTONIC of the last output or input */
	bool ended;        /* the program's exit is known and logged */
	int64_t ended_ns;  /* CLOCK_BOOTTIME of that event; 0: not known */
	int log_error;     /* why the log is behind; 0: it is not, or slow */
};

/*
 * Take over a session from its keeper's descriptors (enum control_fd): find
 * out where the host before us was, and serve.  With an error, what was made
 * is to be closed all the same.
 */
int host_open(struct host *h, struct error *err);
void host_close(struct host *h);

/* Nanoseconds since the session began, as the log counts. */
uint64_t host_now_ns(const struct host *h);

/*
 * Who did something, as the log has it: "uid:1000", at most 255 bytes.  The
 * functions that act log what they did; err says why they did not.
 */

/*
 * Give the terminal, the screen and the log another size, and tell viewers
 * (server_resized).  The size it has already is no change and no event.
 */
int host_resize(struct host *h, unsigned cols, unsigned rows, const char *by,
    struct error *err);

/* Send a signal to the program's process group; -ESRCH after its end. */
int host_signal(struct host *h, int signo, const char *by, struct error *err);

/*
 * End the session: with `interrupt` first Ctrl-C, then a polite request to all
 * of its processes, and after grace_ms SIGKILL.  They return at once; the end
 * comes as server_ended().  A second stop may only shorten the time.
 */
#define HOST_GRACE_MS 5000
int host_stop(struct host *h, uint32_t grace_ms, bool interrupt, const char *by,
    struct error *err);
int host_kill(struct host *h, const char *by, struct error *err);

/* The same as a stop, but the session is `destroyed` when it has ended. */
int host_destroy(struct host *h, uint32_t grace_ms, const char *by,
    struct error *err);

/* value NULL removes the label.  Each writes session.json and a `meta`. */
int host_set_label(struct host *h, const char *key, const char *value,
    const char *by, struct error *err);
int host_rename(struct host *h, const char *name, const char *by,
    struct error *err);

/* A named place in the log; its seq, or 0 and why (storage). */
uint64_t host_mark(struct host *h, const char *name, const char *by,
    struct error *err);

/*
 * session.json as the manifest now is; called when it was changed.  `later`
 * is for changes that listings show: they are written in their time
 * (notice_board.h).
 */
void host_save(struct host *h);
void host_save_later(struct host *h);

/* Let another session have the name. */
void host_release_name(struct host *h);

/* Something is not as it should be, and stays so; in the manifest and told. */
void host_degraded(struct host *h, const char *why);

/* Somebody typed: the idle timeout starts over.  Output counts by itself. */
void host_touch(struct host *h);

/*
 * Stop taking bytes from the ring, or go on: the program waits once the ring
 * is full.  Nobody but a viewer with `flow` may want that.
 */
void host_hold(struct host *h, bool hold);

/*
 * Whether what is typed now is a secret: ECHO off and ICANON on, as at a
 * password prompt.  Shells and full-screen programs have both off.
 */
bool tty_is_secret(int master);

/* Whether the program reads key by key (ICANON off), as line editors do. */
bool tty_reads_keys(int master);

#endif
