#ifndef TEND_HUB_ROUTES_H
#define TEND_HUB_ROUTES_H

#include <stddef.h>

struct connection;
struct exchange;
struct http_request;

/*
 * The table of routes.  Every route declares who may use it; a row without
 * that does not compile.  Operations (/api/v1/GROUP/VERB) declare it in ops.def.
 */
enum route_access {
	ROUTE_UNDECLARED, /* no row may have this */
	ROUTE_ANYONE,     /* no credential is needed; it shows no data */
	ROUTE_IDENTIFIED, /* the handler checks the permissions */
	ROUTE_ADMIN,      /* the permission admin on the home */
	ROUTE_STREAM,     /* a credential, or a cookie whose key comes later */
};

typedef void route_fn(struct exchange *x);

struct route {
	const char *methods; /* "GET" or "POST"; GET includes HEAD */
	const char *path;
	enum route_access access;
	size_t body_max;
	route_fn *run;
};

/*
 * The head of a request is complete: find its route, or refuse it.  The handler
 * is called when the client is known and the body is complete.
 */
void routes_begin(struct connection *c, const struct http_request *request);

/* The table, for tests that must try every route; it ends with a NULL path. */
extern const struct route routes_table[];

#endif
