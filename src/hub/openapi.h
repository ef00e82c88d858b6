#ifndef TEND_HUB_OPENAPI_H
#define TEND_HUB_OPENAPI_H

struct json_out;
struct route;

/*
 * Write the description of a hub in OpenAPI 3.1: the operations of ops.def that
 * HTTP has, their arguments, results and permissions, and the routes of the
 * table, which ends with a NULL path.  `cookie` is the name of its cookie.  Programs
 * make clients from it.
 */
void openapi_put(const struct route *routes, const char *cookie,
    struct json_out *j);

#endif
