#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/opt.h"
#include "cmd/out.h"
#include "cmd/target.h"
#include "vt/key.h"

#define SEND_MAX (900u << 10) /* of a request; a frame holds 1 MiB */

/* In the order they were given: what is text and what keys, `opt` tells. */
struct args {
	struct opt_list input;
	bool secret;
};

enum { TEXT, KEYS, PASTE };

static const struct opt options[] = {
	[TEXT] = OPT_LIST(struct args, input, "text", 't', "TEXT",
	    "type this, as it is"),
	[KEYS] = OPT_LIST(struct args, input, "keys", 'k', "KEY...",
	    "press these keys, as in C-c, Enter, S-Tab, ctrl+x"),
	[PASTE] = OPT_LIST(struct args, input, "paste", 'p', "TEXT",
	    "paste this, bracketed if the program asked for that"),
	OPT_FLAG(struct args, secret, "secret", 0,
	    "keep only its length in the log"),
	{ 0 },
};

#define KEY_SEPARATORS " \t"

/* The next name of a list of keys: its length, 0 at the end. */
static size_t
next_key(const char **keys)
{
	*keys += strspn(*keys, KEY_SEPARATORS);
	return strcspn(*keys, KEY_SEPARATORS);
}

/* Nothing is sent before every key was understood. */
static int
put_keys(const char *keys, struct json_out *j, struct error *err)
{
	char name[KEY_NAME_MAX];
	struct key key;
	size_t len;
	int result;

	while ((len = next_key(&keys)) > 0) {
		if (len >= sizeof(name))
			return error_set(err, EINVAL,
			    "%.40s is no key; text is sent with --text", keys);
		snprintf(name, sizeof(name), "%.*s", (int)len, keys);
		result = key_parse(name, &key, err);
		if (result < 0)
			return result;
		json_out_text(j, name);
		keys += len;
	}
	return 0;
}

static int
put_item(const struct opt_item *item, struct json_out *j, struct error *err)
{
	int result = 0;

	json_out_open(j, '{');
	json_out_key(j, item->opt->name);
	if (item->opt == &options[KEYS]) {
		json_out_open(j, '[');
		result = put_keys(item->value, j, err);
		json_out_close(j, ']');
	} else if (utf8_valid(item->value, strlen(item->value))) {
		json_out_text(j, item->value);
	} else {
		result = error_set(err, EINVAL, "--%s is not UTF-8",
		    item->opt->name);
	}
	json_out_close(j, '}');
	return result;
}

static int
put_request(const struct call *call, struct buf *out, struct error *err)
{
	const struct args *a = call->args;
	struct json_out j;
	int result = 0;

	json_out_init(&j, out);
	json_out_open(&j, '{');
	json_put_open(&j, "input", '[');
	for (size_t i = 0; result == 0 && i < a->input.n; i++)
		result = put_item(&a->input.items[i], &j, err);
	for (int i = 0; result == 0 && i < call->argc; i++)
		result = put_item(&(struct opt_item){ &options[KEYS],
				      call->argv[i] },
		    &j, err);
	json_out_close(&j, ']');
	json_put_bool(&j, "secret", a->secret);
	json_out_close(&j, '}');
	if (result == 0 && out->full)
		result = error_set(err, EMSGSIZE,
		    "that is more than %u KiB; send it in parts",
		    SEND_MAX >> 10);
	return result;
}

/* Words behind the options are keys, but only where --keys came last. */
static int
check(struct call *call)
{
	const struct args *a = call->args;
	const struct opt *last = a->input.n > 0 ?
	    a->input.items[a->input.n - 1].opt :
	    NULL;

	if (call->argc > 0 && last != &options[KEYS])
		return out_fail(call->out, FAIL_USAGE,
		    "is %s text or a key? type it with --text %s or press it "
		    "with --keys %s",
		    call->argv[0], call->argv[0], call->argv[0]);
	if (a->input.n == 0)
		return out_fail(call->out, FAIL_USAGE,
		    "nothing to send; give --text TEXT or --keys KEY...");
	return 0;
}

static int
run(struct call *call)
{
	auto_free char *args = NULL;
	struct error err;
	struct buf b;
	int result, status;

	status = check(call);
	if (status != 0)
		return status;
	buf_init(&b, SEND_MAX);
	result = put_request(call, &b, &err);
	args = buf_take(&b);
	if (result < 0)
		return out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	status = target_connect(call);
	return status != 0 ? status : target_tell(call, "session.send", args);
}

const struct cmd cmd_send = {
	.name = "send",
	.usage = "SESSION [--text TEXT] [--keys KEY...] [--paste TEXT] "
		 "[--secret] [--json]",
	.summary = "type into a session",
	.details =
	    "Text and keys are sent in the order they are given, as one piece:\n"
	    "\n"
	    "  tend send build --text 'make test' --keys Enter\n"
	    "  tend send vim --keys Escape --text :wq --keys Enter\n"
	    "  tend send shell --keys C-c C-d\n"
	    "\n"
	    "Text is never taken for keys, nor keys for text.  Every key is\n"
	    "checked before the first is pressed.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
