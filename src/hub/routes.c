#include "hub/routes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "hub/access.h"
#include "hub/api.h"
#include "hub/connection.h"
#include "hub/exchange_state.h"
#include "hub/home_events.h"
#include "hub/hub.h"
#include "hub/identify.h"
#include "hub/login.h"
#include "hub/metrics.h"
#include "hub/openapi.h"
#include "hub/page.h"
#include "hub/route.h"
#include "hub/session_events.h"
#include "hub/streams.h"
#include "hub/upload.h"
#include "op/ops.h"
#include "web/gate.h"
#include "web/http.h"

#define API API_PATH
#define JSON_MAX (1u << 20)

static void serve_openapi(struct exchange *x);

#define HTML .content = "text/html"
#define TEXT .content = "text/plain"

static const struct route routes_table[] = {
#define ROUTE(methods_, path_, ACCESS, max_, run_, ...) \
	{ .methods = methods_, \
		.path = path_, \
		.access = ROUTE_##ACCESS, \
		.body_max = max_, \
		.run = run_, \
		__VA_ARGS__ },
#include "hub/routes.def"
	{ .path = NULL },
};

#define ROUTE(methods_, path_, ACCESS, ...) \
	static_assert(ROUTE_##ACCESS != ROUTE_UNDECLARED, \
	    path_ " must declare who may use it");
#include "hub/routes.def"

static void
serve_openapi(struct exchange *x)
{
	char cookie[COOKIE_NAME_SIZE];
	struct json_out j;
	struct buf b;

	identify_cookie(x->connection, cookie);
	buf_init(&b, SIZE_MAX);
	json_out_init(&j, &b);
	openapi_put(routes_table, cookie, &j);
	exchange_text(x, 200, "application/json", b.data, b.len);
	buf_finish(&b);
}

/* The route of an operation, which its name completes. */
static const struct route reading_route = { .methods = "GET POST",
	.path = API,
	.access = ROUTE_IDENTIFIED,
	.body_max = JSON_MAX,
	.run = api_run };
static const struct route changing_route = { .methods = "POST",
	.path = API,
	.access = ROUTE_IDENTIFIED,
	.body_max = JSON_MAX,
	.run = api_run };

static const struct route *
find(const char *path)
{
	const struct op *op;

	for (const struct route *r = routes_table; r->path != NULL; r++) {
		if (strcmp(r->path, path) == 0)
			return r;
	}
	op = api_operation(path);
	if (op == NULL)
		return NULL;
	return op->permission == OP_OBSERVE ? &reading_route : &changing_route;
}

static bool
has_method(const struct route *r, const char *method)
{
	const char *at = r->methods;
	size_t len;

	if (strcmp(method, "HEAD") == 0)
		method = "GET";
	for (; *at != '\0'; at += len + (at[len] == ' ')) {
		len = strcspn(at, " ");
		if (strlen(method) == len && memcmp(at, method, len) == 0)
			return true;
	}
	return false;
}

/* Secrets in a URL end in logs and histories of browsers. */
static bool
has_secret(const struct http_request *r)
{
	static const char *const names[] = { "token", "access_token", "key",
		"code", "share", "secret", "cookie", "password", "auth" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(names[i], "key") == 0 &&
		    strncmp(r->path, API, strlen(API)) == 0)
			continue; /* the argument of operations */
		if (http_query_has(r, names[i]))
			return true;
	}
	return false;
}

static void
refuse_method(struct exchange *x, const struct route *r)
{
	char allow[32] = "";
	const char *at = r->methods;
	size_t n = 0, len;

	for (; *at != '\0'; at += len + (at[len] == ' ')) {
		len = strcspn(at, " ");
		n += (size_t)snprintf(allow + n, sizeof(allow) - n, "%s%.*s%s",
		    n > 0 ? ", " : "", (int)len, at,
		    strncmp(at, "GET", len) == 0 ? ", HEAD" : "");
	}
	exchange_add_header(x, "Allow", allow);
	exchange_problem(x, 405, "usage",
	    "this route does not have this method");
}

static enum gate_kind
kind_of(const struct route *r, const struct http_request *request)
{
	if (request->upgrade)
		return GATE_UPGRADE;
	if (r != NULL && r->access == ROUTE_ANYONE && r->run != login_take)
		return GATE_PAGE;
	return GATE_API;
}

/* Answer a request that cannot be served; false if it can. */
static bool
refuse(struct exchange *x, const struct route *r)
{
	const struct http_request *request = x->request;
	const char *why = NULL;
	int status = gate_check(x->connection->door->gate, request,
	    kind_of(r, request), &why);

	if (status != 0)
		exchange_problem(x, status, "denied", why);
	else if (has_secret(request))
		exchange_problem(x, 400, "usage",
		    "a URL must not have a secret; use the header "
		    "Authorization");
	else if (r == NULL)
		exchange_problem(x, 404, "not_found", "there is no such route");
	else if (!has_method(r, request->method))
		refuse_method(x, r);
	else if (request->has_body && request->content_length != UINT64_MAX &&
	    request->content_length > r->body_max)
		exchange_problem(x, 413, "usage", "the body is too long");
	else
		return false;
	return true;
}

static void
dispatch(struct exchange *x)
{
	const struct hub *hub = x->connection->hub;

	if (x->route->access != ROUTE_ANYONE) {
		/* It may have ended while the body arrived. */
		if (!access_is_valid(hub->access, &x->who)) {
			exchange_problem(x, 401, "denied",
			    "the credential is not valid, or has ended");
			return;
		}
		/* A cookie proves nothing before its key has come. */
		if (x->cookie[0] == '\0')
			connection_set_verified(x->connection, &x->who);
	}
	if (x->route->access == ROUTE_ADMIN &&
	    !(access_home(hub->access, &x->who) & (1u << OP_ADMIN))) {
		exchange_problem(x, 403, "denied",
		    "this needs the permission admin");
		return;
	}
	x->route->run(x);
}

void
routes_begin(struct connection *c, const struct http_request *request)
{
	struct exchange *x = exchange_create(c, request);
	const struct route *r = find(request->path);
	const char *expect = http_field(request, "expect");

	x->dispatch = dispatch;
	if (r != NULL) {
		x->route = r;
		x->body_max = r->body_max;
		x->streams = r->streams;
		x->late_key = r->access == ROUTE_STREAM && request->upgrade;
		x->label = r == &reading_route || r == &changing_route ?
		    api_operation(request->path)->name :
		    r->path;
	}
	if (refuse(x, r))
		return;
	x->expects = expect != NULL && strcasecmp(expect, "100-continue") == 0;
	if (r->access == ROUTE_ANYONE)
		exchange_identified(x);
	else
		identify_begin(x);
}
