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

/* What was found, and has to be said in the log. */
struct restore_notes {
	bool fresh;                  /* the first host: the log was empty */
	uint64_t cut;                /* bytes of a torn end */
	uint64_t gap, gap_len;       /* output lost with the host before */
	uint64_t skip_from, skip_to; /* the engine does not get these */
	bool raw;                    /* nor anything else */
	bool anew;                   /* the host before left us the session */
	bool revived;                /* there was no engine, and is again */
	bool resized;                /* the terminal's size is not the log's */
	const char *trouble; /* why the screen is not the log's; or NULL */
};

/*
 * The start of a session, be it the first of its session or the next after a
 * crash: open the log, make the screen from it, begin with the bytes of the
 * ring at max(tail, end of the log).  Makes the display and the event log, with
 * `ops` and their `arg`.  When the log of a running session cannot be opened,
 * the host goes on without it and tries again.
 */
int restore_log(struct session *session, const struct control *hello,
    const struct event_log_ops *ops, void *arg, struct restore_notes *n,
    struct error *err);

/* The directory log/ may be another: let readers have that. */
void restore_find_log(struct session *session);

/* Once all parts of the host are there. */
void restore_write_notes(struct session *session, struct server *server,
    const struct restore_notes *n);

/* The same when the log could be opened only later. */
void restore_write_opened(struct session *session, const struct log_end *end);

/*
 * Whether the log has an `exit` already, at or after this offset; the count of
 * the last `restart` there, 0: there is none.
 */
bool restore_exit_logged(struct session *session, uint64_t offset);
uint64_t restore_restart_logged(struct session *session, uint64_t offset);

#endif
