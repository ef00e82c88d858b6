#ifndef TEND_HOST_SERVE_FRAMES_H
#define TEND_HOST_SERVE_FRAMES_H

struct connection;
struct frame;
struct input_done;

/* What a client's frames do; a frame that it must not send closes it. */
void frames_handle(struct connection *c, const struct frame *f);

/* Something it typed with INPUT had to wait, and is done. */
void frames_typed(struct connection *c, const struct input_done *done);

/* No more bytes belong to the half sequence that its DATA ended with. */
void frames_let_go(struct connection *c);

#endif
