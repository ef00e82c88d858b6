#ifndef TEND_WEB_GATE_H
#define TEND_WEB_GATE_H

#include <stdbool.h>

struct http_request;

/*
 * The names under which clients may reach the hub.  A web page can send
 * requests to any address, under any name that its owner lets point here (DNS
 * rebinding); the browser then adds Host and Origin, and this compares both with
 * the allowed ones, as whole texts.
 *
 *	Host		must be allowed
 *	Origin		must be that of the Host, if there is one; "null" is not
 *	Sec-Fetch-Site	must be same-origin or none, if there is one; but a
 *			page may be opened from another site
 *
 * On a unix socket, Host says nothing, and a browser cannot connect: there any
 * Origin is refused.
 */
#define GATE_NAMES_MAX 128
#define GATE_NAME_SIZE 280

struct gate {
	char hosts[GATE_NAMES_MAX][GATE_NAME_SIZE];
	char origins[GATE_NAMES_MAX][GATE_NAME_SIZE];
	unsigned n;
	bool is_unix;
};

enum gate_kind {
	GATE_PAGE,    /* shows nothing of value; may be opened from a link */
	GATE_API,     /* everything else */
	GATE_UPGRADE, /* to a WebSocket, which has no other protection */
};

void gate_init(struct gate *g);
void gate_init_unix(struct gate *g);

/*
 * Allow a name, as in ("https", "example.net:7070").  Browsers send it in lower
 * case, so capitals are changed.  It is ignored if the gate is full, has it, or
 * if it has GATE_NAME_SIZE bytes with its scheme.
 */
void gate_allow(struct gate *g, const char *scheme, const char *host);

/* 0, or the HTTP status and the reason to refuse the request. */
int gate_check(const struct gate *g, const struct http_request *r,
    enum gate_kind kind, const char **why);

#endif
