#ifndef TEND_HOST_SERVE_VIEWER_EVENT_H
#define TEND_HOST_SERVE_VIEWER_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct session;
struct input_modes;
struct vt_event;

/*
 * The JSON events that viewers get without a request: docs/protocol.md.
 * wire/event.h makes the events that do not depend on the session.
 */
#define VIEWER_EVENT_MAX (64u << 10) /* bytes of one */

/* history: the beginning of the replay; gap: requested bytes before it. */
void viewer_event_metadata(struct buf *out, const struct session *session,
    uint64_t history, uint64_t gap, bool readonly);
void viewer_event_ended(struct buf *out, const struct session *session,
    uint64_t end);

void viewer_event_resized(struct buf *out, const struct session *session);
void viewer_event_title(struct buf *out, const struct session *session);
void viewer_event_activity(struct buf *out, const struct session *session);
void viewer_event_program_status(struct buf *out,
    const struct session *session);
void viewer_event_modes(struct buf *out, const struct input_modes *m);
void viewer_event_notify(struct buf *out, const struct vt_event *ev);
void viewer_event_unlogged(struct buf *out, int64_t since_ms);

#endif
