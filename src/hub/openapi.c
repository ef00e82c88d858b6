#include "hub/openapi.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "base/version.h"
#include "hub/api.h"
#include "hub/refusal.h"
#include "hub/route.h"
#include "op/ops.h"
#include "op/type.h"

#define REFS "#/components/schemas/"
#define JSON "application/json"
#define SESSION "session:string[1-255] "

/* ------------------------------------------------------------------ answers */

/* A member that refers to an answer of the components. */
static void
put_problem(struct json_out *j, const char *status)
{
	json_put_open(j, status, '{');
	json_put_text(j, "$ref", "#/components/responses/problem");
	json_out_close(j, '}');
}

/* The answers; `result` is NULL if the content is not JSON. */
static void
put_responses(struct json_out *j, const char *content, const char *result)
{
	json_put_open(j, "responses", '{');
	json_put_open(j, "200", '{');
	json_put_text(j, "description", "The answer.");
	json_put_open(j, "content", '{');
	json_put_open(j, content != NULL ? content : JSON, '{');
	if (result != NULL) {
		json_out_key(j, "schema");
		type_put_result_schema(result, REFS, j);
	}
	json_out_close(j, '}');
	json_out_close(j, '}');
	json_out_close(j, '}');
	put_problem(j, "4XX");
	put_problem(j, "5XX");
	json_out_close(j, '}');
}

/* ---------------------------------------------------------------- arguments */

static bool
is_required(const char *fields)
{
	struct type_field f;

	while (type_next_field(&fields, &f)) {
		if (!f.optional)
			return true;
	}
	return false;
}

static void
put_body(struct json_out *j, const char *fields)
{
	json_put_open(j, "requestBody", '{');
	json_put_bool(j, "required", is_required(fields));
	json_put_open(j, "content", '{');
	json_put_open(j, JSON, '{');
	json_out_key(j, "schema");
	type_put_fields_schema(fields, REFS, j);
	json_out_close(j, '}');
	json_out_close(j, '}');
	json_out_close(j, '}');
}

/* True if a value fits into a URL. */
static bool
is_scalar(const char *type)
{
	const struct type *named;
	struct type_term t;

	while (type_next_term(&type, &t)) {
		named = type_find(t.name);
		if (t.arrays > 0 || t.map || strcmp(t.name, "object") == 0 ||
		    (named != NULL && type_is_object(named)))
			return false;
	}
	return true;
}

static void
put_query(struct json_out *j, const char *fields)
{
	struct type_field f;

	while (type_next_field(&fields, &f)) {
		if (!is_scalar(f.type))
			continue;
		json_out_open(j, '{');
		json_put_text(j, "name", f.name);
		json_put_text(j, "in", "query");
		json_put_bool(j, "required", !f.optional);
		json_put_open(j, "schema", '{');
		type_put_schema(f.type, REFS, j);
		json_out_close(j, '}');
		json_out_close(j, '}');
	}
}

static void
put_key(struct json_out *j)
{
	json_out_open(j, '{');
	json_put_text(j, "$ref", "#/components/parameters/key");
	json_out_close(j, '}');
}

/* --------------------------------------------------------------- operations */

/* The arguments with the session, as fields. */
static void
put_arguments(const struct op *op, struct buf *out)
{
	(void)buf_printf(out, "%s%s", api_has_session(op) ? SESSION : "",
	    op->arguments);
	(void)buf_putc(out, '\0');
}

static void
put_head(struct json_out *j, const struct op *op, const char *suffix)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", op->name, suffix);
	*strchr(name, '.') = '_';
	json_put_text(j, "operationId", name);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(op->name, "."),
	    op->name);
	json_put_open(j, "tags", '[');
	json_out_text(j, name);
	json_out_close(j, ']');
	json_put_text(j, "summary", op->summary);
	json_put_text(j, "x-tend-permission",
	    op_permission_name(op->permission));
}

static void
put_post(struct json_out *j, const struct op *op, const char *fields)
{
	struct type_field key;

	json_put_open(j, "post", '{');
	put_head(j, op, "");
	if (op_find_argument(op, "key", &key)) {
		json_put_open(j, "parameters", '[');
		put_key(j);
		json_out_close(j, ']');
	}
	put_body(j, fields);
	put_responses(j, NULL, op->result);
	json_out_close(j, '}');
}

static void
put_get(struct json_out *j, const struct op *op, const char *fields)
{
	json_put_open(j, "get", '{');
	put_head(j, op, "_query");
	json_put_open(j, "parameters", '[');
	put_query(j, fields);
	json_out_close(j, ']');
	put_responses(j, NULL, op->result);
	json_out_close(j, '}');
}

/* True if every argument that it needs fits into a URL. */
static bool
has_get(const struct op *op, const char *fields)
{
	struct type_field f;

	while (type_next_field(&fields, &f)) {
		if (!f.optional && !is_scalar(f.type))
			return false;
	}
	return op->permission == OP_OBSERVE;
}

static bool
is_in(const struct route *routes, const char *path)
{
	for (const struct route *r = routes; r->path != NULL; r++) {
		if (strcmp(r->path, path) == 0)
			return true;
	}
	return false;
}

/* An operation without a route of its own. */
static void
put_operation(struct json_out *j, const struct op *op,
    const struct route *routes)
{
	char path[96];
	struct buf fields;

	snprintf(path, sizeof(path), "%s%s", API_PATH, op->name);
	*strchr(path, '.') = '/';
	if (is_in(routes, path))
		return;
	buf_init(&fields, SIZE_MAX);
	put_arguments(op, &fields);
	json_put_open(j, path, '{');
	if (has_get(op, (const char *)fields.data))
		put_get(j, op, (const char *)fields.data);
	put_post(j, op, (const char *)fields.data);
	json_out_close(j, '}');
	buf_finish(&fields);
}

/* ------------------------------------------------------------------- routes */

/* A name of letters: "/api/v1/hub/status" is get_api_v1_hub_status. */
static void
put_route_id(struct json_out *j, const struct route *r, const char *method)
{
	char name[128];

	snprintf(name, sizeof(name), "%s%s", method, r->path);
	for (char *p = name; *p != '\0'; p++) {
		if (strchr("/.-", *p) != NULL)
			*p = '_';
	}
	json_put_text(j, "operationId", name);
}

/* An operation whose arguments are in the URL, because its body is content. */
static void
put_upload(struct json_out *j, const struct route *r, const struct op *op)
{
	struct buf fields;

	buf_init(&fields, SIZE_MAX);
	put_arguments(op, &fields);
	json_put_open(j, r->path, '{');
	json_put_open(j, "post", '{');
	put_head(j, op, "");
	json_put_open(j, "parameters", '[');
	put_query(j, (const char *)fields.data);
	json_out_close(j, ']');
	json_put_open(j, "requestBody", '{');
	json_put_bool(j, "required", true);
	json_put_open(j, "content", '{');
	json_put_open(j, r->content_in, '{');
	json_put_open(j, "schema", '{');
	json_put_text(j, "type", "string");
	json_put_text(j, "format", "binary");
	json_out_close(j, '}');
	json_out_close(j, '}');
	json_out_close(j, '}');
	json_out_close(j, '}');
	put_responses(j, NULL, op->result);
	json_out_close(j, '}');
	json_out_close(j, '}');
	buf_finish(&fields);
}

static void
put_method(struct json_out *j, const struct route *r, const char *method)
{
	json_put_open(j, method, '{');
	put_route_id(j, r, method);
	json_put_text(j, "summary", r->summary != NULL ? r->summary : r->path);
	if (r->access == ROUTE_ANYONE) {
		json_put_open(j, "security", '[');
		json_out_close(j, ']');
	}
	if (r->access == ROUTE_ADMIN)
		json_put_text(j, "x-tend-permission",
		    op_permission_name(OP_ADMIN));
	if (r->arguments != NULL && strcmp(method, "post") == 0) {
		put_body(j, r->arguments);
	} else if (r->arguments != NULL) {
		json_put_open(j, "parameters", '[');
		put_query(j, r->arguments);
		json_out_close(j, ']');
	}
	put_responses(j, r->content, r->result);
	json_out_close(j, '}');
}

static void
put_route(struct json_out *j, const struct route *r)
{
	const struct op *op = api_operation(r->path);

	if (op != NULL) {
		put_upload(j, r, op);
		return;
	}
	json_put_open(j, r->path, '{');
	if (strstr(r->methods, "GET") != NULL)
		put_method(j, r, "get");
	if (strstr(r->methods, "POST") != NULL)
		put_method(j, r, "post");
	json_out_close(j, '}');
}

/* --------------------------------------------------------------- components */

static void
put_key_scheme(struct json_out *j, const char *scheme, const char *in,
    const char *name, const char *description)
{
	json_put_open(j, scheme, '{');
	json_put_text(j, "type", "apiKey");
	json_put_text(j, "in", in);
	json_put_text(j, "name", name);
	json_put_text(j, "description", description);
	json_out_close(j, '}');
}

static void
put_security(struct json_out *j, const char *cookie)
{
	json_put_open(j, "securitySchemes", '{');
	json_put_open(j, "token", '{');
	json_put_text(j, "type", "http");
	json_put_text(j, "scheme", "bearer");
	json_put_text(j, "description", "A token of `tend token create`.");
	json_out_close(j, '}');
	put_key_scheme(j, "cookie", "cookie", cookie,
	    "The cookie of a browser, which also needs page_key.");
	put_key_scheme(j, "page_key", "header", "X-Tend-Key",
	    "The key that a page keeps for its origin.");
	json_out_close(j, '}');
}

static void
put_problems(struct json_out *j)
{
	json_put_open(j, "responses", '{');
	json_put_open(j, "problem", '{');
	json_put_text(j, "description",
	    "The request failed (RFC 9457); `code` is stable.");
	json_put_open(j, "headers", '{');
	json_put_open(j, "Retry-After", '{');
	json_put_text(j, "description",
	    "Seconds after which to retry, with 429 and 503.");
	json_put_open(j, "schema", '{');
	json_put_text(j, "type", "integer");
	json_out_close(j, '}');
	json_out_close(j, '}');
	json_out_close(j, '}');
	json_put_open(j, "content", '{');
	json_put_open(j, REFUSAL_TYPE, '{');
	json_out_key(j, "schema");
	type_put_result_schema("problem", REFS, j);
	json_out_close(j, '}');
	json_out_close(j, '}');
	json_out_close(j, '}');
	json_out_close(j, '}');
}

static void
put_parameters(struct json_out *j)
{
	json_put_open(j, "parameters", '{');
	json_put_open(j, "key", '{');
	json_put_text(j, "name", "Idempotency-Key");
	json_put_text(j, "in", "header");
	json_put_text(j, "description",
	    "The same as the argument `key`: a second request with it types "
	    "nothing and gets the first answer.");
	json_put_open(j, "schema", '{');
	type_put_schema("string[1-128]", REFS, j);
	json_out_close(j, '}');
	json_out_close(j, '}');
	json_out_close(j, '}');
}

static void
put_components(struct json_out *j, const char *cookie)
{
	json_put_open(j, "components", '{');
	json_out_key(j, "schemas");
	type_put_definitions(REFS, j);
	put_parameters(j);
	put_problems(j);
	put_security(j, cookie);
	json_out_close(j, '}');
}

static void
put_info(struct json_out *j)
{
	static const char
	    security[] = "[{\"token\":[]},{\"cookie\":[],\"page_key\":[]}]";

	json_put_text(j, "openapi", "3.1.0");
	json_put_open(j, "info", '{');
	json_put_text(j, "title", "tend");
	json_put_text(j, "version", TEND_VERSION);
	json_put_text(j, "description",
	    "Terminal sessions for coding agents and any interactive program.");
	json_put_open(j, "license", '{');
	json_put_text(j, "name", "MIT");
	json_put_text(j, "identifier", "MIT");
	json_out_close(j, '}');
	json_out_close(j, '}');
	json_out_key(j, "servers");
	json_out_json(j, "[{\"url\":\"/\"}]");
	json_out_key(j, "security");
	json_out_json(j, security);
}

void
openapi_put(const struct route *routes, const char *cookie, struct json_out *j)
{
	json_out_open(j, '{');
	put_info(j);
	json_put_open(j, "paths", '{');
	for (const struct route *r = routes; r->path != NULL; r++)
		put_route(j, r);
	for (size_t i = 0; i < OP_COUNT; i++) {
		if (op_has(&ops[i], OP_HTTP))
			put_operation(j, &ops[i], routes);
	}
	json_out_close(j, '}');
	put_components(j, cookie);
	json_out_close(j, '}');
}
