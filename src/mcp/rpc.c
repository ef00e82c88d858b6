#include "mcp/rpc.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"

/* True if it may be an id; a fraction could change on the way back. */
static bool
is_id(const json_t *v)
{
	return json_is_string(v) || json_is_integer(v);
}

static int
invalid(struct error *err, const char *why)
{
	error_set(err, EINVAL, "%s", why);
	return RPC_INVALID_REQUEST;
}

static int
check_version(const json_t *tree, struct error *err)
{
	const char *version = json_string_value(
	    json_object_get(tree, "jsonrpc"));

	if (version == NULL || strcmp(version, "2.0") != 0)
		return invalid(err, "'jsonrpc' must be \"2.0\"");
	return 0;
}

static int
read_call(struct rpc_message *m, const json_t *method, struct error *err)
{
	const json_t *params = json_object_get(m->tree, "params");

	if (!json_is_string(method))
		return invalid(err, "'method' must be a string");
	if (json_is_null(params))
		params = NULL;
	if (params != NULL && !json_is_object(params)) {
		error_set(err, EINVAL, "'params' must be an object");
		return m->id != NULL ? RPC_INVALID_PARAMS : RPC_INVALID_REQUEST;
	}
	m->kind = m->id != NULL ? RPC_REQUEST : RPC_NOTIFICATION;
	m->method = json_string_value(method);
	m->params = params;
	return 0;
}

static int
read_message(struct rpc_message *m, struct error *err)
{
	json_t *id = json_object_get(m->tree, "id");
	const json_t *method = json_object_get(m->tree, "method");
	int rc;

	if (is_id(id))
		m->id = id;
	rc = check_version(m->tree, err);
	if (rc != 0)
		return rc;
	if (method == NULL &&
	    (json_object_get(m->tree, "result") != NULL ||
		json_object_get(m->tree, "error") != NULL)) {
		m->kind = RPC_RESPONSE;
		return 0;
	}
	if (id != NULL && m->id == NULL)
		return invalid(err, "'id' must be a string or a whole number");
	return read_call(m, method, err);
}

int
rpc_parse(struct rpc_message *m, const char *p, size_t len, struct error *err)
{
	memset(m, 0, sizeof(*m));
	m->tree = json_tree_read(p, len, err);
	if (m->tree == NULL)
		return RPC_PARSE_ERROR;
	if (!json_is_object(m->tree))
		return invalid(err, "a message must be one object per line");
	return read_message(m, err);
}

void
rpc_finish(struct rpc_message *m)
{
	json_decref(m->tree);
	memset(m, 0, sizeof(*m));
}

static void
put_head(struct json_out *j, struct buf *out, const json_t *id)
{
	auto_free char *text = id != NULL ?
	    json_dumps(id, JSON_COMPACT | JSON_ENCODE_ANY) :
	    NULL;

	json_out_init(j, out);
	json_out_open(j, '{');
	json_out_key(j, "jsonrpc");
	json_out_text(j, "2.0");
	json_out_key(j, "id");
	if (text != NULL)
		json_out_json(j, text);
	else
		json_out_null(j);
}

void
rpc_begin(struct json_out *j, struct buf *out, const json_t *id)
{
	put_head(j, out, id);
	json_out_key(j, "result");
}

void
rpc_end(struct json_out *j)
{
	json_out_close(j, '}');
	buf_putc(j->buf, '\n');
}

void
rpc_refuse(struct buf *out, const json_t *id, enum rpc_code code,
    const char *why)
{
	struct json_out j;

	put_head(&j, out, id);
	json_out_key(&j, "error");
	json_out_open(&j, '{');
	json_out_key(&j, "code");
	json_out_int(&j, code);
	json_out_key(&j, "message");
	json_out_text(&j, why);
	json_out_close(&j, '}');
	rpc_end(&j);
}
