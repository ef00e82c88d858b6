#ifndef TEND_HUB_STREAM_EVENTS_H
#define TEND_HUB_STREAM_EVENTS_H

struct stream;
struct stream_message;
struct subscription;

/*
 * The events of a session: those of its log from a cursor (seq) on, each once,
 * and between them the notices of its host.  The log is read when it has grown,
 * at most once in STREAM_EVENTS_MS.  Output is not looked at.
 */
#define STREAM_EVENTS_MS 100
#define STREAM_EVENTS_LOOK_MS 1000 /* if the kernel cannot watch the log */

struct subscription *stream_events_create(struct stream *stream,
    const struct stream_message *m);

#endif
