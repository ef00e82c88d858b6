/*
 * Any bytes as a request.  A refusal gives a reason.  The arguments of an
 * accepted request make sense for its operation: its input is typed as the
 * check announced, a condition can be evaluated, and a snapshot is JSON and
 * within its bounds.
 */
#include "op/ops.h"

#include <string.h>

#include "base/buf.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "fuzz.h"
#include "op/condition.h"
#include "op/items.h"
#include "op/profile.h"
#include "op/snapshot.h"
#include "vt/vt.h"

#define TYPED_MAX 65536

typedef void try_fn(const json_t *args);

static void
must_say_why(int rc, const struct error *err)
{
	MUST(rc == 0 || (rc < 0 && err->msg[0] != '\0'));
}

static void
try_send(const json_t *args)
{
	static const struct items_for terminals[] = {
		{ .rows = 24, .cols = 80 },
		{ .modes = { .mouse = MOUSE_ANY,
		      .mouse_format = MOUSE_SGR,
		      .bracketed_paste = true,
		      .kitty_flags = KITTY_DISAMBIGUATE },
		    .rows = 24,
		    .cols = 80 },
		{ .modes = { .mouse = MOUSE_NORMAL } },
	};
	const json_t *items = json_object_get(args, "input");
	struct error err = { 0 };
	bool well_formed = items_check(items, &err) == 0;

	must_say_why(well_formed ? 0 : -1, &err);
	for (size_t i = 0; i < sizeof(terminals) / sizeof(*terminals); i++) {
		struct buf out;
		int rc;

		err.msg[0] = '\0';
		buf_init(&out, TYPED_MAX);
		rc = items_encode(items, &terminals[i], &out, &err);
		must_say_why(rc, &err);
		MUST(rc < 0 || well_formed);
		buf_finish(&out);
	}
}

static bool
is_odd(const void *arg, unsigned y)
{
	(void)arg;
	return y % 2 == 1;
}

static struct vt *
make_screen(void)
{
	static const char
	    text[] = "\033]133;A\a$ ls\r\n\033]133;C\aone\r\ntwo\r\n"
		     "\033[31mthree\033[m\r\n\033]133;D;0\a"
		     "\033]133;A\a$ \303\251 \344\270\226";
	const struct vt_config config = { .cols = 20,
		.rows = 4,
		.history_lines = 10,
		.history_bytes = 4096 };
	struct vt *vt = vt_create(&config, NULL);

	MUST(vt != NULL);
	vt_feed(vt, text, sizeof(text) - 1);
	return vt;
}

/*
 * Formats with lines stay within max_bytes; the others are refused beyond it.
 */
static void
is_within(const struct snapshot *s, const json_t *result)
{
	const json_t *data = json_object_get(result, "data");

	MUST(json_is_integer(json_object_get(result, "seq")));
	MUST(json_is_string(json_object_get(result, "hash")));
	if (s->max_bytes > 0 && data != NULL)
		MUST(json_string_length(data) <= s->max_bytes);
}

static void
try_snapshot(const json_t *args)
{
	struct vt *vt = make_screen();
	const struct snapshot_of of = { .vt = vt, .is_new = is_odd };
	struct error err = { 0 };
	struct snapshot s;
	struct json_out j;
	struct buf out;
	int rc = snapshot_read(&s, args, &err);

	must_say_why(rc, &err);
	buf_init(&out, 1u << 20);
	json_out_init(&j, &out);
	if (rc == 0) {
		rc = snapshot_put(&s, &of, &j, &err);
		must_say_why(rc, &err);
	}
	if (rc == 0) {
		json_t *result = json_tree_object((char *)out.data, out.len,
		    &err);

		MUST(result != NULL);
		is_within(&s, result);
		json_decref(result);
	}
	buf_finish(&out);
	vt_destroy(vt);
}

static void
try_wait(const json_t *args)
{
	struct error err = { 0 };
	struct condition c;
	int rc = condition_read(&c, args, CONDITION_ARGUMENTS, &err);

	must_say_why(rc, &err);
	if (rc == 0)
		condition_finish(&c);
}

static void
try_prompt(const json_t *args)
{
	struct error err = { 0 };
	const char *name = op_string(args, "profile", PROFILE_DEFAULT);
	const struct profile *p = profile_find(name, &err);

	must_say_why(p != NULL ? 0 : -1, &err);
	MUST(p == NULL || strcmp(p->name, name) == 0);
	MUST(op_string(args, "text", NULL) != NULL);
}

static const struct {
	enum op_id op;
	try_fn *fn;
} tries[] = {
	{ OP_ID_session_send, try_send },
	{ OP_ID_session_snapshot, try_snapshot },
	{ OP_ID_session_wait, try_wait },
	{ OP_ID_session_prompt, try_prompt },
};

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	struct error err = { 0 };
	struct op_request r;
	int rc = op_request_parse(&r, p, len, &err);

	must_say_why(rc, &err);
	if (rc < 0)
		return 0;
	if (r.op != NULL) {
		rc = op_take_arguments(r.op, r.args, &err);
		must_say_why(rc, &err);
		MUST(rc == 0 || strstr(err.msg, r.op->name) != NULL);
		for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
			if (rc == 0 && r.op == &ops[tries[i].op])
				tries[i].fn(r.args);
		}
	}
	op_request_finish(&r);
	return 0;
}
