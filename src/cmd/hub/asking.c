#include "cmd/hub/asking.h"

#include <stdio.h>
#include <string.h>

#include "base/json_tree.h"
#include "base/mem.h"
#include "cmd/hub/hub_client.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/words.h"

int
asking_hub(struct call *call, const char *op, json_t *args, json_t **result)
{
	struct fault f;

	if (hub_client_call(&call->target->home, op, args, result, &f) < 0)
		return out_fault(call->out, &f);
	return 0;
}

int
asking_json(struct call *call, const json_t *result)
{
	auto_free char *text = json_dumps(result,
	    JSON_COMPACT | JSON_PRESERVE_ORDER);
	struct json_out j;

	out_begin(call->out, &j);
	json_out_json(&j, text);
	return out_send(call->out);
}

void
asking_text(json_t *args, const char *name, const char *text)
{
	if (text != NULL)
		json_object_set_new(args, name, json_string(text));
}

void
asking_words(json_t *args, const char *name, const char *text)
{
	json_t *list;

	if (text == NULL)
		return;
	list = json_array();
	for (;;) {
		size_t len = strcspn(text, ",");

		json_array_append_new(list, json_stringn(text, len));
		text += len;
		if (*text == '\0')
			break;
		text++;
	}
	json_object_set_new(args, name, list);
}

static void
join(const json_t *list, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < json_array_size(list) && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%s",
		    i > 0 ? "," : "",
		    json_string_value(json_array_get(list, i)));
}

const char *
asking_shown(const json_t *object, const char *name, char *out, size_t size)
{
	const json_t *value = json_object_get(object, name);
	const char *text = json_string_value(value);

	if (json_is_array(value))
		join(value, out, size);
	else
		snprintf(out, size, "%s",
		    text != NULL && text[0] != '\0' ? text : "-");
	return out;
}

void
asking_field(struct buf *out, const char *text, unsigned width)
{
	size_t before = out->len;

	words_put_safe(out, text);
	if (width == 0) {
		buf_putc(out, '\n');
		return;
	}
	while (out->len - before < width)
		buf_putc(out, ' ');
	buf_puts(out, "  ");
}

/* ------------------------------------------------------------- credentials */

static int
ask_kind(struct call *call, const char *kind, const char *verb, json_t *args,
    json_t **result)
{
	char op[32];

	snprintf(op, sizeof(op), "%s.%s", kind, verb);
	return asking_hub(call, op, args, result);
}

int
asking_create(struct call *call, const char *kind, json_t *args,
    const char *member, const char *note)
{
	auto_json json_t *result = NULL;
	char id[64], expires[64];
	int status = ask_kind(call, kind, "create", args, &result);

	if (status != 0)
		return status;
	if (call->out->json)
		return asking_json(call, result);
	buf_printf(&call->out->buf, "%s\n",
	    json_string_value(json_object_get(result, member)));
	status = out_send(call->out);
	out_note(call->out, "%s %s; 'tend %s revoke %s' ends it earlier", note,
	    asking_shown(result, "expires_at", expires, sizeof(expires)), kind,
	    asking_shown(result, "id", id, sizeof(id)));
	return status;
}

/* Print tokens or links as a table. */
static int
put_credentials(struct call *call, const json_t *list)
{
	static const struct {
		const char *name;
		unsigned width;
	} columns[] = { { "id", 26 }, { "expires_at", 24 }, { "used_at", 24 },
		{ "principal", 16 }, { "scope", 20 }, { "sessions", 12 },
		{ "label", 0 } };
	struct buf *out = &call->out->buf;
	char text[512];

	if (call->out->json)
		return asking_json(call, list);
	if (json_array_size(list) > 0)
		buf_printf(out,
		    "%-26s  %-24s  %-24s  %-16s  %-20s  %-12s  %s\n", "ID",
		    "EXPIRES", "USED", "PRINCIPAL", "SCOPE", "SESSIONS",
		    "LABEL");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *row = json_array_get(list, i);

		for (size_t c = 0; c < sizeof(columns) / sizeof(*columns); c++)
			asking_field(out,
			    asking_shown(row, columns[c].name, text,
				sizeof(text)),
			    columns[c].width);
	}
	return out_send(call->out);
}

int
asking_list(struct call *call, const char *kind)
{
	auto_json json_t *result = NULL;
	char member[32];
	int status = operands_check(call, 0, 0, "");

	snprintf(member, sizeof(member), "%ss", kind);
	if (status == 0)
		status = ask_kind(call, kind, "list", json_object(), &result);
	return status != 0 ?
	    status :
	    put_credentials(call, json_object_get(result, member));
}

int
asking_revoke(struct call *call, const char *kind)
{
	auto_json json_t *result = NULL;
	int status = operands_check(call, 1, 1, "ID");

	if (status == 0)
		status = ask_kind(call, kind, "revoke",
		    json_pack("{s:s}", "id", call->argv[0]), &result);
	if (status != 0)
		return status;
	return call->out->json ? asking_json(call, result) :
				 out_send(call->out);
}
