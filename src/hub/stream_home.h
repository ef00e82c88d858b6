#ifndef TEND_HUB_STREAM_HOME_H
#define TEND_HUB_STREAM_HOME_H

struct stream;
struct stream_message;
struct subscription;

/* The sessions of the home and their changes, as home_events.h has them. */
struct subscription *stream_home_create(struct stream *stream,
    const struct stream_message *m);

#endif
