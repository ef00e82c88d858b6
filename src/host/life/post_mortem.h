#ifndef TEND_HOST_LIFE_POST_MORTEM_H
#define TEND_HOST_LIFE_POST_MORTEM_H

struct session;

/*
 * Saves the screen of a program that failed (B-44), in the session's
 * artifacts/:
 *
 *	post-mortem.txt		the last 500 lines, history and screen
 *	post-mortem-50.txt	the last 50 of them
 *	final-screen.txt	the screen
 *	final-screen.ansi	the same, with its colours
 *
 * The manifest names the first.  Without an engine nothing is saved.
 */
#define POST_MORTEM_LINES 500
#define POST_MORTEM_SHORT 50
void post_mortem_write(struct session *session);

#endif
