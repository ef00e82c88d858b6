#ifndef TEND_HUB_SANDBOX_H
#define TEND_HUB_SANDBOX_H

struct hub;

/*
 * The limits of the hub, which reads bytes from the network.  If those take it
 * over, it can still use its home and drive the sessions of the home.  It can
 * neither run a program nor make code, neither read or write files elsewhere
 * nor connect to anything but Unix sockets, and neither trace nor signal other
 * processes.  Also as root it has no capabilities.
 *
 * sandbox/filter.h and sandbox/fence.h have the rules.  A kernel without one of
 * them has only the other; the log says so.
 */

/*
 * The part that is allowed before everything is open: files of the owner alone, no
 * core, 4 GiB of addresses.  A hub without memory ends, as every process of ours
 * does; its starter starts it again.  Call this after the launcher was forked:
 * programs would inherit it.
 */
void hub_sandbox_prepare(void);

/*
 * Call it last, before any thread is started, when all listening sockets are open
 * and everything outside the home was read.
 */
void hub_sandbox_enter(struct hub *hub);

#endif
