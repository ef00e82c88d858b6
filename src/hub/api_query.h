#ifndef TEND_HUB_API_QUERY_H
#define TEND_HUB_API_QUERY_H

#include <jansson.h>

struct error;
struct http_request;
struct op;

/*
 * The arguments of an operation from the query of a URL, for operations that
 * only read.  Numbers and flags are recognised by the types of the arguments;
 * a list or an object must be sent as JSON.  NULL and err if that fails.
 */
json_t *api_query_read(const struct http_request *r, const struct op *op,
    struct error *err);

#endif
