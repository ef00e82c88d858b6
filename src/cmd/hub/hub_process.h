#ifndef TEND_CMD_HUB_HUB_PROCESS_H
#define TEND_CMD_HUB_HUB_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct error;
struct fault;
struct home;

/*
 * Start and stop the process tend-hub.  No file has its pid: the kernel says
 * which process listens on hub.sock.
 */

/*
 * Run tend-hub with these arguments, NULL at the end.  In the background this
 * returns when it is ready: 0, or its -errno and reason.  In the foreground it
 * replaces this process and returns only after a failure.
 */
int hub_process_start(char *const *argv, bool foreground, struct error *err);

/* The pid of the hub of this home; -1 and FAIL_NOT_RUNNING: none runs. */
pid_t hub_process_find(const struct home *h, struct fault *f);

/* Ask it to end and wait until it has; 0 or -errno and err. */
int hub_process_stop(pid_t pid, int timeout_ms, struct error *err);

#endif
