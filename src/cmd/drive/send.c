#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cmd/line/cmd.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/line/slurp.h"
#include "cmd/target/target.h"
#include "home/units.h"
#include "home/words.h"
#include "op/items.h"
#include "vt/key.h"

#define SEND_MAX (900u << 10) /* limit of a request; a frame holds 1 MiB */

/* Items in the order given; `opt` tells text from keys. */
struct args {
	struct opt_list input;
	const char *expect_seq, *key;
	bool secret;
};

enum { TEXT, KEYS, PASTE, HEX, MOUSE, FILE_OF };

static const struct opt options[] = {
	[TEXT] = OPT_LIST(struct args, input, "text", 't', "TEXT",
	    "type this text unchanged"),
	[KEYS] = OPT_LIST(struct args, input, "keys", 'k', "KEY...",
	    "press these keys, as in C-c, Enter, S-Tab, ctrl+x"),
	[PASTE] = OPT_LIST(struct args, input, "paste", 'p', "TEXT",
	    "paste this text, bracketed if the program enabled that"),
	[HEX] = OPT_LIST(struct args, input, "hex", 0, "DIGITS",
	    "send these bytes, as in 1b5b41"),
	[MOUSE] = OPT_LIST(struct args, input, "mouse", 0, "WHAT ROW,COL",
	    "use the mouse, as in 'click 3,4' or 'scroll-up 0,0'"),
	[FILE_OF] = OPT_LIST(struct args, input, "file", 0, "FILE",
	    "type the contents of a file; - is standard input"),
	OPT_VALUE(struct args, expect_seq, "expect-seq", 0, "SEQ",
	    "type only if the screen has not changed since this event"),
	OPT_VALUE(struct args, key, "key", 0, "KEY",
	    "act at most once for this key, even if the command is repeated"),
	OPT_FLAG(struct args, secret, "secret", 0,
	    "log only the length of the input"),
	{ 0 },
};

#define KEY_SEPARATORS " \t"

/* The next name in a list of keys: its length, 0 at the end. */
static size_t
next_key(const char **keys)
{
	*keys += strspn(*keys, KEY_SEPARATORS);
	return strcspn(*keys, KEY_SEPARATORS);
}

/* Check all keys before anything is sent. */
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
			    "unknown key: %.40s; send text with --text", keys);
		snprintf(name, sizeof(name), "%.*s", (int)len, keys);
		result = key_parse(name, &key, err);
		if (result < 0)
			return result;
		json_out_text(j, name);
		keys += len;
	}
	return 0;
}

/* Send as bytes if it is not valid text for JSON. */
static int
put_file(const char *path, struct json_out *j, struct error *err)
{
	struct buf bytes;
	bool text;
	int result;

	buf_init(&bytes, SEND_MAX);
	result = slurp(path, &bytes, err);
	text = bytes.len > 0 && memchr(bytes.data, 0, bytes.len) == NULL &&
	    utf8_valid(bytes.data, bytes.len);
	json_out_key(j, text ? "text" : "hex");
	if (text) {
		json_out_string(j, (char *)bytes.data, bytes.len);
	} else {
		struct buf hex;

		buf_init(&hex, 2 * (size_t)SEND_MAX);
		for (size_t i = 0; i < bytes.len; i++)
			buf_printf(&hex, "%02x", bytes.data[i]);
		json_out_string(j, (char *)hex.data, hex.len);
		buf_finish(&hex);
	}
	buf_finish(&bytes);
	return result;
}

static int
put_words(const struct opt_item *item, struct json_out *j, struct error *err)
{
	if (!utf8_valid(item->value, strlen(item->value)))
		return error_set(err, EINVAL, "--%s is not UTF-8",
		    item->opt->name);
	json_out_key(j, item->opt->name);
	json_out_text(j, item->value);
	return 0;
}

static int
put_item(const struct opt_item *item, struct json_out *j, struct error *err)
{
	int result;

	json_out_open(j, '{');
	if (item->opt == &options[KEYS]) {
		json_out_key(j, "keys");
		json_out_open(j, '[');
		result = put_keys(item->value, j, err);
		json_out_close(j, ']');
	} else if (item->opt == &options[FILE_OF]) {
		result = put_file(item->value, j, err);
	} else {
		result = put_words(item, j, err);
	}
	json_out_close(j, '}');
	return result;
}

static int
put_items(const struct call *call, struct json_out *j, struct error *err)
{
	const struct args *a = call->args;
	int result = 0;

	json_out_open(j, '[');
	for (size_t i = 0; result == 0 && i < a->input.n; i++)
		result = put_item(&a->input.items[i], j, err);
	for (int i = 0; result == 0 && i < call->argc; i++)
		result = put_item(&(struct opt_item){ &options[KEYS],
				      call->argv[i] },
		    j, err);
	json_out_close(j, ']');
	return result;
}

static int
put_expected(const struct args *a, struct json_out *j, struct error *err)
{
	uint64_t seq;

	if (a->expect_seq == NULL)
		return 0;
	if (!units_number(a->expect_seq, INT64_MAX, &seq))
		return error_set(err, EINVAL,
		    "--expect-seq %.40s: give the seq from the --json answer "
		    "of a snapshot or a send",
		    a->expect_seq);
	json_out_key(j, "expect_seq");
	json_out_number(j, seq);
	return 0;
}

/* Find errors that the host would find, before sending. */
static int
check_items(const char *request, struct error *err)
{
	auto_json json_t *tree = json_tree_object(request, strlen(request),
	    err);

	if (tree == NULL)
		return -EINVAL;
	return items_check(json_object_get(tree, "input"), err);
}

static int
put_request(const struct call *call, struct buf *out, struct error *err)
{
	const struct args *a = call->args;
	struct json_out j;
	int result;

	json_out_init(&j, out);
	json_out_open(&j, '{');
	json_out_key(&j, "input");
	result = put_items(call, &j, err);
	if (result == 0)
		result = put_expected(a, &j, err);
	json_put_bool(&j, "secret", a->secret);
	if (a->key != NULL)
		json_put_text(&j, "key", a->key);
	json_out_close(&j, '}');
	if (result == 0 && out->full)
		result = error_set(err, EMSGSIZE,
		    "the input is longer than %u KiB; send it in parts",
		    SEND_MAX >> 10);
	return result;
}

/* True if the word consists of key names, as for --keys. */
static bool
are_keys(const char *word)
{
	char name[KEY_NAME_MAX];
	struct key key;
	size_t len;

	while ((len = next_key(&word)) > 0) {
		if (len >= sizeof(name))
			return false;
		snprintf(name, sizeof(name), "%.*s", (int)len, word);
		if (key_parse(name, &key, NULL) < 0)
			return false;
		word += len;
	}
	return true;
}

static int
ask_back(struct call *call, const char *word)
{
	auto_free char *quoted = NULL;
	struct buf b;

	buf_init(&b, SEND_MAX);
	words_quote(word, &b);
	quoted = buf_take(&b);
	if (are_keys(word))
		return out_fail(call->out, FAIL_USAGE,
		    "is %s text or a key? type it with --text %s or press it "
		    "with --keys %s",
		    quoted, quoted, quoted);
	return out_fail(call->out, FAIL_USAGE,
	    "unknown key: %s; type it with --text %s, and press keys "
	    "as in --keys Enter",
	    quoted, quoted);
}

/* Words after the options are keys, but only if --keys came last. */
static int
check(struct call *call)
{
	const struct args *a = call->args;
	const struct opt *last = a->input.n > 0 ?
	    a->input.items[a->input.n - 1].opt :
	    NULL;

	if (call->argc > 0 && last != &options[KEYS])
		return ask_back(call, call->argv[0]);
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
	if (result == 0)
		result = check_items(args, &err);
	if (result < 0)
		return out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	status = target_connect(call);
	return status != 0 ? status :
			     target_request(call, "session.send", args);
}

const struct cmd cmd_send = {
	.name = "send",
	.usage = "SESSION [--text TEXT] [--keys KEY...] [--paste TEXT] "
		 "[--hex DIGITS]\n"
		 "            [--mouse 'WHAT ROW,COL'] [--file FILE|-] "
		 "[--expect-seq SEQ]\n"
		 "            [--key KEY] [--secret] [--json]",
	.summary = "type into a session",
	.details =
	    "tend sends text and keys in the order given, as one piece:\n"
	    "\n"
	    "  tend send build --text 'make test' --keys Enter\n"
	    "  tend send vim --keys Escape --text :wq --keys Enter\n"
	    "  tend send shell --keys C-c C-d\n"
	    "\n"
	    "Text is never taken for keys, nor keys for text.  tend checks all of\n"
	    "the input before it sends the first byte.  The mouse can press,\n"
	    "release, click, drag, scroll-up and scroll-down; rows and columns\n"
	    "count from 0, and a button may follow: 'click 3,4 right'.\n"
	    "\n"
	    "--expect-seq takes the seq of the screen you saw (snapshot --json).\n"
	    "If the screen has changed since, tend types nothing.\n"
	    "\n"
	    "--key makes it safe to repeat a send that got no answer: tend types\n"
	    "the input at most once for a key of your choice, even if the session's\n"
	    "host was killed in between.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_SESSION,
	.run = run,
};
