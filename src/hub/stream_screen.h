#ifndef TEND_HUB_STREAM_SCREEN_H
#define TEND_HUB_STREAM_SCREEN_H

struct stream;
struct stream_message;
struct subscription;

/*
 * The rendered screen of a session, then the rows that changed, at most so
 * often; a thumbnail is the same with other defaults.
 *
 * The hub looks at the output only to learn that there is some.  Then it asks
 * the host for the rows that changed, and reads nothing until the interval is
 * over: a session that floods costs one update for each interval.
 */
#define STREAM_SCREEN_MS 50
#define STREAM_THUMBNAIL_MS 1000

struct subscription *stream_screen_create(struct stream *stream,
    const struct stream_message *m);

#endif
