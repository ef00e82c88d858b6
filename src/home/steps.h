#ifndef TEND_HOME_STEPS_H
#define TEND_HOME_STEPS_H

#include <stdbool.h>

struct batch;
struct fault;
struct handle;

/*
 * Run the steps of a batch (client/batch.h) in the handle's session.  If the
 * host exits during a wait, the next host or the log answers it.  Returns 0
 * once the steps have begun, whatever their outcome, which the batch records;
 * -1 and the fault if the host cannot be reached.  handle.cancel_fd ends the
 * current step.
 */
int steps_run(struct handle *h, struct batch *b, bool keep_going,
    struct fault *f);

#endif
