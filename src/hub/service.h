#ifndef TEND_HUB_SERVICE_H
#define TEND_HUB_SERVICE_H

struct error;
struct hub;
struct hub_options;

/*
 * The life of a hub: create all parts in their order, run, and destroy them in
 * reverse.  Only main includes this, so no part depends on the whole.
 */

/* Prepare everything; 0, or -errno and err.  Call service_close in both cases. */
int service_open(struct hub *hub, const struct hub_options *options,
    struct error *err);
void service_run(struct hub *hub);
void service_close(struct hub *hub);

#endif
