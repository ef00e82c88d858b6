#ifndef TEND_HOST_SERVE_TELL_H
#define TEND_HOST_SERVE_TELL_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct host;
struct input_modes;
struct vt_event;

/* The JSON that viewers are sent without asking: docs/protocol.md. */

/* history: where the replay begins; gap: bytes asked for before it. */
void tell_metadata(struct buf *out, const struct host *h, uint64_t history,
    uint64_t gap, bool readonly);
void tell_ended(struct buf *out, const struct host *h, uint64_t end);

void tell_resized(struct buf *out, const struct host *h);
void tell_title(struct buf *out, const struct host *h);
void tell_program_status(struct buf *out, const struct host *h);
void tell_modes(struct buf *out, const struct input_modes *m);
void tell_notify(struct buf *out, const struct vt_event *ev);
/* holder NULL: nobody. */
void tell_lease(struct buf *out, const char *holder);
void tell_detached(struct buf *out, const char *by);
void tell_unlogged(struct buf *out, int64_t since_ms);
void tell_plain(struct buf *out, const char *event);

#endif
