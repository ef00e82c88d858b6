#ifndef TEND_CMD_LINE_SIGNALS_H
#define TEND_CMD_LINE_SIGNALS_H

/*
 * Get the signals that ask a command to end (SIGINT, SIGTERM, SIGHUP) as a
 * readable descriptor, for commands that must print or clean up first.  The
 * signals then have no other effect, neither here nor in child processes,
 * unless those reset the mask.
 */
int signals_catch(void); /* -1 on failure */

/* The same with SIGWINCH, for commands that draw on a terminal. */
int signals_catch_sizes(void);

/* The exit status after the signal, as in a shell. */
int signals_status(int fd);

#endif
