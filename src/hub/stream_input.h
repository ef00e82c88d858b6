#ifndef TEND_HUB_STREAM_INPUT_H
#define TEND_HUB_STREAM_INPUT_H

struct stream_message;
struct subscription;

/*
 * Type what the client has sent.  Each input is answered once: by the host, as
 * unknown if the host died with it, or with the reason why it was not typed.
 * With `key_once` it is a session.send, which is done at most once.
 */
void stream_input_take(struct subscription *s, const struct stream_message *m);

#endif
