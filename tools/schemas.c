/*
 * Writes schemas.json: the JSON schemas of all operations, commands and MCP
 * tools, made from their tables.  The tests check every answer against it.
 */
#include <stdio.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "mcp/tool.h"
#include "op/ops.h"

#define REFS "#/$defs/"
#define SCHEMAS_MAX (4u << 20)

static void
put_operations(struct json_out *j)
{
	json_put_open(j, "operations", '{');
	for (size_t i = 0; i < OP_COUNT; i++) {
		json_put_open(j, ops[i].name, '{');
		json_out_key(j, "arguments");
		op_put_schema(&ops[i], OP_ARGUMENTS, REFS, j);
		json_out_key(j, "result");
		op_put_schema(&ops[i], OP_RESULT, REFS, j);
		json_out_close(j, '}');
	}
	json_out_close(j, '}');
}

/* null: there is no such answer. */
static void
put_commands(struct json_out *j)
{
	json_put_open(j, "commands", '{');
	for (const struct op_command *c = op_commands; c->name != NULL; c++) {
		json_out_key(j, c->name);
		if (c->result[0] != '\0')
			type_put_result_schema(c->result, REFS, j);
		else
			json_out_null(j);
	}
	json_out_close(j, '}');
}

static void
put_tools(struct json_out *j)
{
	char name[TOOL_NAME_SIZE];

	json_put_open(j, "tools", '{');
	for (const struct tool *t = tools; t->op != NULL; t++) {
		tool_name(t, name);
		json_out_key(j, name);
		tool_result_schema(t, REFS, j);
	}
	json_out_close(j, '}');
}

int
main(void)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, SCHEMAS_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_out_key(&j, "$defs");
	type_put_definitions(REFS, &j);
	put_operations(&j);
	put_commands(&j);
	put_tools(&j);
	json_out_close(&j, '}');
	if (b.full || fwrite(b.data, 1, b.len, stdout) != b.len)
		return 1;
	putchar('\n');
	buf_finish(&b);
	return 0;
}
