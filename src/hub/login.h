#ifndef TEND_HUB_LOGIN_H
#define TEND_HUB_LOGIN_H

struct exchange;

/*
 * A browser logs in: POST /api/v1/login takes the one-time code of `tend hub
 * login`, or the secret of a share link.  The answer sets a cookie that no
 * script can read, and has the key that the page keeps for its own origin.
 * Every request needs both.
 */
void login_take(struct exchange *x);
void login_end(struct exchange *x); /* POST /api/v1/logout */

#endif
