#ifndef TEND_HOST_CORE_EVENTS_H
#define TEND_HOST_CORE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "log/payload.h"
#include "log/payload_json.h"

struct session;
struct oom_kill;

/*
 * The events that the host itself writes; docs/log-format.md describes them.
 * Each function queues one event and returns its seq, or 0 if the log refused
 * it.  event_add_ID, for each type of records.def, takes the payload as a
 * struct; the functions below it make the payload from the session's state.
 */
#define RECORD(number, name, id, ID, flags, summary) \
	uint64_t event_add_##id(struct session *session, \
	    const struct payload_##id *event);
#define JSON_RECORD(number, name, id, ID, summary) \
	RECORD(number, name, id, ID, EVENT, summary)
#include "log/records.def"

uint64_t event_start(struct session *session);
uint64_t event_clock(struct session *session, enum clock_why why);
uint64_t event_resize(struct session *session, unsigned cols, unsigned rows,
    const char *by);
uint64_t event_signal(struct session *session, int signo, const char *by,
    const char *what);
uint64_t event_mark(struct session *session, const char *name, const char *by);
uint64_t event_gap(struct session *session, uint64_t offset, uint64_t bytes,
    enum gap_why why);
uint64_t event_engine_gap(struct session *session, uint64_t from, uint64_t to);
uint64_t event_recovered(struct session *session, uint64_t bytes);
uint64_t event_exit(struct session *session, int status, uint64_t offset,
    unsigned outcome);
uint64_t event_trimmed(struct session *session, uint64_t seq, uint64_t offset);
/* A changed value; NULL: the key was removed. */
uint64_t event_meta(struct session *session, const char *what, const char *key,
    const char *value, const char *by);
uint64_t event_trouble(struct session *session, const char *what,
    const char *text);
/* `by` took the lease from `from`. */
uint64_t event_lease_stolen(struct session *session, const char *from,
    const char *by);
/* The program ended with this status and is restarted after delay_ms. */
uint64_t event_restart(struct session *session, int status, int64_t delay_ms);
/*
 * session.exec: the beginning and the end of a run.  The end names the seq of
 * the beginning; 0: unknown.
 */
uint64_t event_run(struct session *session, const char *command, const char *by,
    const char *key, const char *capture);
uint64_t event_run_end(struct session *session, uint64_t run,
    const char *outcome, const char *capture, int code, uint64_t from,
    uint64_t to);
/* The status that the program reports, as it is in the manifest. */
uint64_t event_program_status(struct session *session);
/* The agent's activity, as it is in the manifest. */
uint64_t event_activity(struct session *session);
uint64_t event_oom(struct session *session, const struct oom_kill *k);

/* The current screen; nothing without an engine. */
uint64_t event_keyframe(struct session *session, bool full);
/* Begin a new segment with a keyframe. */
void event_rotate(struct session *session);

#endif
