#ifndef TEND_HUB_ROUTES_H
#define TEND_HUB_ROUTES_H

struct connection;
struct http_request;

/*
 * The head of a request is complete: find its route, or refuse it.  The handler
 * is called when the client is known and the body is complete.
 */
void routes_begin(struct connection *c, const struct http_request *request);

#endif
