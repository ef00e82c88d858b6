#ifndef TEND_HOME_STEPS_H
#define TEND_HOME_STEPS_H

#include <stdbool.h>

struct batch;
struct fault;
struct handle;

/*
 * Carry out the steps of a batch (client/batch.h) in the session of the handle.
 * A wait whose host is gone is answered by the next host, or from the log.  0
 * when the steps were begun, whatever became of them, which the batch knows;
 * -1 and the fault when the host cannot be reached.  handle.cancel_fd ends the
 * step under way.
 */
int steps_run(struct handle *h, struct batch *b, bool keep_going,
    struct fault *f);

#endif
