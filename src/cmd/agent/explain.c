#include "cmd/agent/explain.h"

#include <string.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/words.h"

static const char *
text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

/* "title    idle                at-rest, since ..." */
static void
put_source(struct buf *out, const json_t *said)
{
	const char *what = text_of(said, "what");
	bool silent = strcmp(text_of(said, "activity"), "unknown") == 0;

	buf_printf(out, "%-9s  ", text_of(said, "source"));
	if (silent) {
		buf_puts(out, "-\n");
		return;
	}
	buf_printf(out, "%-19s  ", text_of(said, "activity"));
	words_put_safe(out, what);
	buf_printf(out, "%ssince %s\n", *what != '\0' ? ", " : "",
	    text_of(said, "since"));
}

static void
put_agent(struct buf *out, const json_t *o)
{
	const json_t *agent = json_object_get(o, "agent");
	const json_t *evidence = json_object_get(o, "evidence");
	const char *version = text_of(agent, "version");

	words_put_safe(out, text_of(agent, "name"));
	if (*version != '\0') {
		buf_putc(out, ' ');
		words_put_safe(out, version);
	}
	buf_printf(out, " is %s since %s (%s): ", text_of(o, "activity"),
	    text_of(evidence, "since"), text_of(evidence, "confidence"));
	words_put_safe(out, text_of(evidence, "why"));
	buf_putc(out, '\n');
}

static void
put(struct buf *out, const json_t *o)
{
	const char *why = text_of(o, "why");
	const json_t *said;
	size_t i;

	if (!json_is_object(json_object_get(o, "agent"))) {
		buf_puts(out,
		    "no agent that tend knows is in front of the "
		    "terminal; 'tend agent ls' lists those that it "
		    "knows\n");
		return;
	}
	put_agent(out, o);
	json_array_foreach(json_object_get(o, "sources"), i, said)
	    put_source(out, said);
	buf_printf(out, "%-9s  %s\n", "input box", text_of(o, "box"));
	if (*why != '\0') {
		buf_printf(out, "%-9s  ", "screen");
		words_put_safe(out, why);
		buf_putc(out, '\n');
	}
}

int
explain(struct call *call)
{
	auto_free char *result = NULL;
	auto_json json_t *o = NULL;
	int status = operands_check(call, 1, 1, "a SESSION");

	if (status == 0)
		status = target_prepare(call,
		    CMD_NEEDS_HOME | CMD_NEEDS_SESSION | CMD_NEEDS_HOST);
	if (status == 0)
		status = target_ask(call, "agent.explain", "{}", &result);
	if (status != 0)
		return status;
	if (call->out->json)
		return target_answer(call, result);
	o = json_tree_object(result, strlen(result), NULL);
	put(&call->out->buf, o);
	return out_send(call->out);
}
