#ifndef TEND_HUB_STREAM_SUBSCRIBE_H
#define TEND_HUB_STREAM_SUBSCRIBE_H

struct stream;
struct stream_message;

/* Begin a subscription, or refuse it. */
void stream_subscribe(struct stream *s, const struct stream_message *m);

#endif
