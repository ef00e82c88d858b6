#include <stdio.h>
#include <string.h>

#include "base/json_field.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "client/attach_state.h"
#include "session/home.h"
#include "wire/frame.h"

/*
 * The id of a request identifies its kind.  Id 1 is session.colours, whose
 * answer is ignored.
 */
enum request { RENAME, MARK, TAKE, OTHERS, KILL, REQUESTS };
#define FIRST_ID 2
#define REQUEST_MAX 4096

static const struct {
	const char *op;
	const char *done;   /* shown before the given name; or NULL */
	const char *failed; /* shown before the reason */
} requests[] = {
	[RENAME] = { "session.rename", " now called ", "not renamed" },
	[MARK] = { "session.mark", " marked this moment as ", "not marked" },
	[TAKE] = { "lease.steal", " you now have the right to type",
	    "not taken" },
	[OTHERS] = { "session.detach", NULL, "the others are still attached" },
	[KILL] = { "session.kill", NULL, "not killed" },
};

/*
 * Without a host, refuse: a request that waited would surprise the user later.
 */
static void
request(struct attach *a, enum request which, const char *name)
{
	struct json_out j;
	struct buf json;

	if (!a->connected || a->parting) {
		attach_notice(a,
		    " the session's host is away for now; try again");
		return;
	}
	snprintf(a->given, sizeof(a->given), "%s", name != NULL ? name : "");
	buf_init(&json, REQUEST_MAX);
	json_out_init(&j, &json);
	json_out_open(&j, '{');
	json_put_number(&j, "id", FIRST_ID + (unsigned)which);
	json_put_text(&j, "op", requests[which].op);
	json_put_open(&j, "args", '{');
	if (name != NULL)
		json_put_text(&j, "name", name);
	json_out_close(&j, '}');
	json_out_close(&j, '}');
	(void)frame_put(&a->send, FRAME_REQUEST, json.data, json.len);
	buf_finish(&json);
}

void
attach_detach_others(struct attach *a)
{
	request(a, OTHERS, NULL);
}

void
attach_take_lease(struct attach *a)
{
	request(a, TAKE, NULL);
}

/* True if a part of the name begins with one of these characters. */
static bool
has_part(const char *name, const char *first)
{
	bool found = strchr(first, *name) != NULL;

	while (!found && (name = strchr(name, '/')) != NULL)
		found = strchr(first, *++name) != NULL;
	return found;
}

/* A short reason for a refused name; the host's own is longer than a row. */
static const char *
fault_of(const char *name)
{
	static const char known[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789._-/";

	if (strchr(name, ' ') != NULL)
		return "a name has no blanks";
	if (name[strspn(name, known)] != '\0')
		return "use letters, digits, ._-/";
	if (has_part(name, "/")) /* a slash, or the end of the name */
		return "a / has nothing beside it";
	if (has_part(name, ".-"))
		return "it begins with . or -";
	return "it is too long, or an id";
}

static void
on_new_name(struct attach *a, const char *text)
{
	char why[96];

	if (*text == '\0' || strcmp(text, a->name) == 0)
		return;
	if (name_check(text, NULL) == 0) {
		request(a, RENAME, text);
		return;
	}
	snprintf(why, sizeof(why), " %s: %s", requests[RENAME].failed,
	    fault_of(text));
	attach_notice(a, why);
}

void
attach_rename(struct attach *a)
{
	attach_ask(a, "rename to: ", a->name, on_new_name);
}

static void
on_mark_name(struct attach *a, const char *text)
{
	if (*text != '\0')
		request(a, MARK, text);
}

void
attach_mark(struct attach *a)
{
	attach_ask(a, "mark this moment as: ", "", on_mark_name);
}

static void
on_kill(struct attach *a, const char *text)
{
	(void)text;
	request(a, KILL, NULL);
}

void
attach_kill(struct attach *a)
{
	char question[96];

	snprintf(question, sizeof(question), "kill %.60s? (y/n) ", a->name);
	attach_ask_yes_no(a, question, on_kill);
}

/* Answers. */

struct response {
	unsigned id, detached;
	bool ok;
	char message[256];
};

static void
tell_others(const struct response *r, char *text, size_t size)
{
	if (r->detached == 0)
		snprintf(text, size, " no other client is attached");
	else
		snprintf(text, size, " %u other client%s detached", r->detached,
		    r->detached == 1 ? " was" : "s were");
}

/*
 * The host's message begins with the operation and its argument; leave these
 * out for people.
 */
static const char *
reason(enum request which, const char *message)
{
	static const char argument[] = " 'name': ";
	size_t len = strlen(requests[which].op);

	if (strncmp(message, requests[which].op, len) != 0 ||
	    message[len] != ':')
		return message;
	message += len + 1;
	if (strncmp(message, argument, sizeof(argument) - 1) == 0)
		message += sizeof(argument) - 1;
	return message;
}

static void
tell(struct attach *a, enum request which, const struct response *r)
{
	char text[ENTRY_MAX + 128] = "";

	if (which == RENAME && r->ok)
		snprintf(a->name, sizeof(a->name), "%s", a->given);
	if (!r->ok)
		snprintf(text, sizeof(text), " %s: %s", requests[which].failed,
		    reason(which, r->message));
	else if (which == OTHERS)
		tell_others(r, text, sizeof(text));
	else if (requests[which].done != NULL)
		snprintf(text, sizeof(text), "%s%s", requests[which].done,
		    a->given);
	if (text[0] != '\0')
		attach_notice(a, text);
}

void
attach_on_response(struct attach *a, const struct frame *f)
{
	static const struct json_field fields[] = {
		JSON_FIELD(struct response, id, "id", UINT, UINT32_MAX),
		JSON_FIELD(struct response, ok, "ok", BOOL, 0),
		JSON_FIELD(struct response, detached, "detached", UINT,
		    UINT32_MAX),
		JSON_FIELD(struct response, message, "message", CUT, 0),
		{ 0 },
	};
	auto_json json_t *tree = json_tree_object((const char *)f->payload,
	    f->len, NULL);
	struct response r = { 0 };
	enum request which;

	if (tree == NULL || json_fields_read(fields, tree, &r, NULL) < 0 ||
	    r.id < FIRST_ID || r.id >= FIRST_ID + REQUESTS)
		return;
	which = (enum request)(r.id - FIRST_ID);
	(void)json_fields_read(fields,
	    json_object_get(tree, r.ok ? "result" : "error"), &r, NULL);
	tell(a, which, &r);
}
