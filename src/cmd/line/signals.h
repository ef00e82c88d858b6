#ifndef TEND_CMD_LINE_SIGNALS_H
#define TEND_CMD_LINE_SIGNALS_H

/*
 * The signals that ask a command to end (SIGINT, SIGTERM, SIGHUP), as a
 * descriptor that becomes readable: for those who have something to say or to
 * tidy up first.  From then on they do nothing else, here and in programs that
 * are started, unless those are given another mask.
 */
int signals_catch(void); /* -1 when there is none */

/* The same, and SIGWINCH among them, for who draws on a terminal. */
int signals_catch_sizes(void);

/* The status of who was ended by the signal, as a shell has it. */
int signals_status(int fd);

#endif
