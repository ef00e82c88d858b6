#ifndef TEND_HOST_AGENT_AGENT_WATCH_H
#define TEND_HOST_AGENT_AGENT_WATCH_H

#include "base/json_out.h"

struct server;
struct session;
struct waits;

/*
 * Finds the coding agent in a session and what it does (src/agent), and passes
 * changes to the manifest, the log, the viewers and waiting clients.
 *
 * An agent is found by the command lines of the processes in front of the
 * terminal, and, behind ssh for instance, by the name that it reports itself
 * (OSC 7501).  While a program prints that is no agent, its processes are
 * looked at once in AGENT_WATCH_FIND_MS.
 *
 * Nothing here runs before viewers are served: output only sets a timer, for
 * AGENT_WATCH_SOON_MS later, and AGENT_WATCH_EVERY_MS after the last look.  So
 * there are at most ten changes in a second.  The screen is looked at as a
 * complete frame.  Weak evidence must hold for a time (AGENT_HOLD_MS).
 */
#define AGENT_WATCH_FIND_MS 1000
#define AGENT_WATCH_SOON_MS 30
#define AGENT_WATCH_EVERY_MS 100

struct agent_watch;

/* `waits` gets to know of each change. */
struct agent_watch *agent_watch_create(struct session *session,
    struct server *server, struct waits *waits);
void agent_watch_destroy(struct agent_watch *w); /* NULL is fine */

/* There was output, a report of the program, or another engine. */
void agent_watch_output(struct agent_watch *w);

/* The program has ended, and with it the agent. */
void agent_watch_end(struct agent_watch *w);

/* The result of agent.explain: what each source says now. */
void agent_watch_explain(const struct agent_watch *w, struct json_out *j);

#endif
