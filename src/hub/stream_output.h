#ifndef TEND_HUB_STREAM_OUTPUT_H
#define TEND_HUB_STREAM_OUTPUT_H

struct stream;
struct stream_message;
struct subscription;

/*
 * The output of a session with absolute offsets: a picture or earlier output,
 * then live output and notices; from the log when the session has ended.
 *
 * A client that gives no credit, or a rate, and wants no lossless output gets
 * the newest picture instead of a backlog: after STREAM_OUTPUT_STALE_MS without
 * credit, or when more than a second's bytes wait.
 */
#define STREAM_OUTPUT_STALE_MS 250

struct subscription *stream_output_create(struct stream *stream,
    const struct stream_message *m);

#endif
