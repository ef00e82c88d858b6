#ifndef TEND_HOST_LIFE_RESTORE_H
#define TEND_HOST_LIFE_RESTORE_H

#include <stdbool.h>
#include <stdint.h>

struct control;
struct error;
struct server;
struct session;
struct log_end;
struct event_log_ops;

/* Findings that must be logged. */
struct restore_notes {
	bool fresh;                  /* the first host: the log was empty */
	uint64_t cut;                /* bytes cut from a torn end */
	uint64_t gap, gap_len;       /* output lost with the previous host */
	uint64_t skip_from, skip_to; /* not shown to the engine */
	bool raw;                    /* no engine at all */
	/* The previous host handed the session over. */
	bool anew;
	bool revived; /* the engine was off and is on again */
	/* The terminal's size differs from the log's. */
	bool resized;
	bool rebuilt;        /* the screen in the log is of a newer engine */
	const char *trouble; /* why the screen is not the log's, or NULL */
};

/*
 * The start of a host, whether it is the first of its session or follows a
 * crash: open the log, restore the screen from it, and begin with the ring at
 * max(tail, end of the log).  Creates the display and the event log, with
 * `ops` and `arg`.  If the log of a running session cannot be opened, the host
 * works without it and retries.
 */
int restore_log(struct session *session, const struct control *hello,
    const struct event_log_ops *ops, void *arg, struct restore_notes *n,
    struct error *err);

/* The directory log/ may have been replaced: open it again for readers. */
void restore_find_log(struct session *session);

/* Called once all parts of the host exist. */
void restore_write_notes(struct session *session, struct server *server,
    const struct restore_notes *n);

/* Like restore_write_notes, for a log that was opened later. */
void restore_write_opened(struct session *session, const struct log_end *end);

/*
 * restore_exit_logged: true if the log has an `exit` at or after this offset.
 * restore_restart_logged: the count of the last `restart` there; 0: none.
 */
bool restore_exit_logged(struct session *session, uint64_t offset);
uint64_t restore_restart_logged(struct session *session, uint64_t offset);

#endif
