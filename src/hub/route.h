#ifndef TEND_HUB_ROUTE_H
#define TEND_HUB_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

struct exchange;

/*
 * A row of the table of routes (routes.def): who may use it, its handler, and its
 * description for /openapi.json.  A row without an access does not compile.
 * Operations (/api/v1/GROUP/VERB) declare all that in ops.def.
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
	bool streams; /* the handler takes the body in pieces */
	/* For its description: */
	const char *summary;
	const char *content_in; /* media type of the body; NULL: JSON */
	const char *content;    /* media type of the answer; NULL: JSON */
	const char *arguments;  /* fields of op/type.h; NULL: none */
	const char *result;     /* of JSON, likewise */
};

#endif
