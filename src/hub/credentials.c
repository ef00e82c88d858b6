#include "hub/credentials.h"

#include <errno.h>
#include <qrencode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/id.h"
#include "base/mem.h"
#include "home/fault.h"
#include "home/report.h"
#include "home/when.h"
#include "home/words.h"
#include "hub/access.h"
#include "hub/hub.h"
#include "hub/identity.h"
#include "hub/rights.h"
#include "hub/secret.h"
#include "hub/store.h"
#include "op/failure.h"
#include "op/ops.h"
#include "policy/glob.h"
#include "wire/hello.h"

#define DAY_MS (24ll * 60 * 60 * 1000)
#define TOKEN_MS (90 * DAY_MS)
#define SHARE_MS DAY_MS
#define LOGIN_MS 60000
#define BROWSER_SCOPE OP_EVERY_PERMISSION

struct hub_call {
	struct hub *hub;
	const struct op *op;
	calls_done_fn *fn; /* NULL: cancelled */
	void *arg;
	json_t *result; /* of a new credential */
};

/* ----------------------------------------------------------------- answers */

static void
answer(struct hub_call *c, json_t *result, const struct fault *f)
{
	struct report r;
	const struct calls_answer a = { .result = result,
		.fault = f,
		.report = &r };

	report_init(&r, NULL, NULL);
	if (c->fn != NULL)
		c->fn(c->arg, &a);
	report_finish(&r);
	json_decref(result);
	json_decref(c->result);
	free(c);
}

static void
answer_error(struct hub_call *c, int rc)
{
	struct fault f;

	if (rc == -ENOENT)
		fault_set(&f, FAIL_NOT_FOUND, "there is no such credential");
	else if (rc == -EDQUOT)
		fault_set(&f, FAIL_STORAGE,
		    "there are %d credentials already; revoke some", STORE_MAX);
	else if (rc == -EAGAIN)
		fault_set(&f, FAIL_BUSY, "the hub's database is busy");
	else
		fault_set(&f, FAIL_STORAGE,
		    "the hub cannot use its database: %s", strerror(-rc));
	answer(c, NULL, &f);
}

json_t *
credentials_scope_json(unsigned scope)
{
	json_t *list = json_array();

	for (unsigned p = 0; p < OP_PERMISSIONS; p++) {
		if (scope & (1u << p))
			json_array_append_new(list,
			    json_string(op_permission_name(p)));
	}
	return list;
}

static json_t *
time_json(int64_t ms)
{
	char text[WORDS_TIME_MAX];

	words_time(ms, text);
	return json_string(text);
}

static json_t *
maybe(const char *s)
{
	return s[0] != '\0' ? json_string(s) : json_null();
}

/* ------------------------------------------------------------- new secrets */

static void
on_added(void *arg, int rc, json_t *result)
{
	struct hub_call *c = arg;

	(void)result;
	if (rc < 0)
		answer_error(c, rc);
	else
		answer(c, json_incref(c->result), NULL);
}

/*
 * The scope of a new credential: what the arguments ask for, or the part of
 * `standard` that its maker has.  Nobody makes one with more than it has itself.
 */
static int
take_scope(const json_t *args, const struct identity *who, unsigned standard,
    unsigned *scope, struct fault *f)
{
	const json_t *list = json_object_get(args, "scope");

	*scope = json_is_array(list) ? 0 : standard & who->scope;
	for (size_t i = 0; i < json_array_size(list); i++)
		*scope |= 1u << op_permission_find(
			      json_string_value(json_array_get(list, i)));
	if (*scope != 0 && (*scope & ~who->scope) == 0)
		return 0;
	return fault_set(f, FAIL_DENIED,
	    "a new credential has no permission that the caller's does not "
	    "have");
}

/* Only who acts for the owner makes credentials that do. */
static int
check_owner(const struct identity *who, struct fault *f)
{
	if (who->owner)
		return 0;
	return fault_set(f, FAIL_DENIED,
	    "only the owner can make a credential of the owner; `principal` "
	    "names somebody else");
}

static json_t *
credential_json(const struct store_new *n, int64_t now)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:n}", "id",
	    n->who.credential, "label", n->label, "principal",
	    n->who.owner ? json_null() : json_string(n->who.principal), "scope",
	    credentials_scope_json(n->who.scope), "sessions",
	    maybe(n->who.targets), "created_at", time_json(now), "expires_at",
	    time_json(n->who.until_ms), "used_at");
}

static void
name_credential(struct hub *hub, struct identity *who)
{
	id_create(&hub->ids, who->credential);
}

/* Principals of these kinds are made by tend itself. */
static bool
is_reserved(const char *principal)
{
	static const char *const kinds[] = { "owner:", "uid:", "session:",
		"local:", "share:" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strncmp(principal, kinds[i], strlen(kinds[i])) == 0)
			return true;
	}
	return false;
}

static int
check_token(const char *principal, const char *sessions, struct fault *f)
{
	struct error err;

	if (principal != NULL && !hello_is_principal(principal))
		return fault_argument(f, "principal",
		    " must be KIND:NAME, as in user:ann");
	if (principal != NULL && is_reserved(principal))
		return fault_argument(f, "principal",
		    ": tend uses this kind itself; use another one, as in "
		    "user:ann");
	if (sessions != NULL && glob_check(sessions, &err) < 0)
		return fault_argument(f, "sessions", ": %s", err.msg);
	return 0;
}

static int
create_token(struct hub_call *c, const json_t *args, const struct identity *who,
    struct fault *f)
{
	const char *principal = op_string(args, "principal", NULL);
	const char *sessions = op_string(args, "sessions", NULL);
	int64_t now = clock_ms(CLOCK_REALTIME);
	char secret[SECRET_SIZE];
	struct store_new n = { .kind = STORE_TOKEN,
		.label = op_string(args, "label", "token"),
		.secret = secret };

	if (check_token(principal, sessions, f) < 0 ||
	    (principal == NULL && check_owner(who, f) < 0) ||
	    take_scope(args, who, 1u << OP_OBSERVE | 1u << OP_DRIVE,
		&n.who.scope, f) < 0)
		return -1;
	secret_make("tend_t_", secret);
	name_credential(c->hub, &n.who);
	n.who.owner = principal == NULL;
	if (principal != NULL)
		snprintf(n.who.principal, sizeof(n.who.principal), "%s",
		    principal);
	else
		snprintf(n.who.principal, sizeof(n.who.principal),
		    "owner:token/%s", n.who.credential);
	snprintf(n.who.targets, sizeof(n.who.targets), "%s",
	    sessions != NULL ? sessions : "");
	n.who.until_ms = now + (int64_t)op_number(args, "expires_ms", TOKEN_MS);
	c->result = credential_json(&n, now);
	json_object_set_new(c->result, "secret", json_string(secret));
	store_add(c->hub->store, &n, on_added, c);
	return 0;
}

static int
create_share(struct hub_call *c, const json_t *args, const char *session)
{
	int64_t now = clock_ms(CLOCK_REALTIME);
	char secret[SECRET_SIZE], url[512];
	struct store_new n = { .kind = STORE_SHARE,
		.label = op_string(args, "session", ""),
		.secret = secret };

	secret_make("tend_s_", secret);
	name_credential(c->hub, &n.who);
	/* No policy names it: its scope and target are all it has. */
	n.who.owner = true;
	snprintf(n.who.principal, sizeof(n.who.principal), "share:%s",
	    n.who.credential);
	n.who.scope = 1u << OP_OBSERVE |
	    (op_bool(args, "drive", false) ? 1u << OP_DRIVE : 0);
	snprintf(n.who.targets, sizeof(n.who.targets), "id:%s", session);
	n.who.until_ms = now + (int64_t)op_number(args, "expires_ms", SHARE_MS);
	c->result = credential_json(&n, now);
	json_object_set_new(c->result, "principal",
	    json_string(n.who.principal));
	snprintf(url, sizeof(url), "%s/login#share=%s", c->hub->url, secret);
	json_object_set_new(c->result, "secret", json_string(secret));
	json_object_set_new(c->result, "url", json_string(url));
	store_add(c->hub->store, &n, on_added, c);
	return 0;
}

/* Rows of half blocks: two rows of the code in one of text. */
static json_t *
qr_rows(const char *text)
{
	static const char *const blocks[] = { "█", "▄", "▀", " " };
	QRcode *code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L);
	json_t *rows = json_array();

	if (code == NULL)
		return rows;
	for (int y = -2; y < code->width + 2; y += 2) {
		char row[4 * 200];
		size_t len = 0;

		for (int x = -2; x < code->width + 2; x++) {
			unsigned dark = 0;

			for (int i = 0; i < 2; i++) {
				int yy = y + i;

				if (x >= 0 && x < code->width && yy >= 0 &&
				    yy < code->width &&
				    (code->data[yy * code->width + x] & 1))
					dark |= 1u << i;
			}
			len += (size_t)snprintf(row + len, sizeof(row) - len,
			    "%s", blocks[dark]);
		}
		json_array_append_new(rows, json_string(row));
	}
	QRcode_free(code);
	return rows;
}

static int
create_login(struct hub_call *c, const json_t *args, const struct identity *who,
    struct fault *f)
{
	int64_t now = clock_ms(CLOCK_REALTIME);
	char secret[SECRET_SIZE], url[512];
	struct store_new n = { .kind = STORE_CODE,
		.label = "browser",
		.secret = secret };

	if (check_owner(who, f) < 0 ||
	    take_scope(args, who, BROWSER_SCOPE, &n.who.scope, f) < 0)
		return -1;
	secret_make("tend_l_", secret);
	name_credential(c->hub, &n.who);
	n.who.owner = true;
	n.who.until_ms = now + LOGIN_MS;
	snprintf(url, sizeof(url), "%s/login#code=%s", c->hub->url, secret);
	c->result = json_pack("{s:s, s:o, s:o}", "url", url, "qr", qr_rows(url),
	    "expires_at", time_json(n.who.until_ms));
	store_add(c->hub->store, &n, on_added, c);
	return 0;
}

/* ----------------------------------------------------- lists and revocation */

static json_t *
row_json(const json_t *row, bool owner_is_null)
{
	json_t *principal = json_object_get(row, "principal");
	const char *targets = json_string_value(
	    json_object_get(row, "targets"));
	bool owner = owner_is_null &&
	    json_is_true(json_object_get(row, "owner"));

	return json_pack("{s:O, s:O, s:O, s:o, s:o, s:O, s:O, s:O}", "id",
	    json_object_get(row, "id"), "label", json_object_get(row, "label"),
	    "principal", owner ? json_null() : principal, "scope",
	    credentials_scope_json(
		(unsigned)json_integer_value(json_object_get(row, "scope"))),
	    "sessions", maybe(targets), "created_at",
	    json_object_get(row, "created_at"), "expires_at",
	    json_object_get(row, "expires_at"), "used_at",
	    json_object_get(row, "used_at"));
}

static void
on_listed(void *arg, int rc, json_t *rows)
{
	struct hub_call *c = arg;
	bool tokens = c->op == &ops[OP_ID_token_list];
	json_t *list;

	if (rc < 0) {
		answer_error(c, rc);
		return;
	}
	list = json_array();
	for (size_t i = 0; i < json_array_size(rows); i++)
		json_array_append_new(list,
		    row_json(json_array_get(rows, i), tokens));
	answer(c, json_pack("{s:o}", tokens ? "tokens" : "shares", list), NULL);
}

static void
on_revoked(void *arg, int rc, json_t *result)
{
	struct hub_call *c = arg;
	struct hub *hub = c->hub;

	if (rc < 0) {
		answer_error(c, rc);
		return;
	}
	/* The answer first: the caller may end its own credential. */
	answer(c, json_object(), NULL);
	rights_end(hub, result);
}

static void
on_audit(void *arg, int rc, json_t *rows)
{
	struct hub_call *c = arg;

	if (rc < 0)
		answer_error(c, rc);
	else
		answer(c, json_pack("{s:O}", "entries", rows), NULL);
}

/* The identity is known now, but the answer comes later, as all others. */
static void
on_identity(void *arg)
{
	struct hub_call *c = arg;

	answer(c, json_incref(c->result), NULL);
}

static int
get_identity(struct hub_call *c, const struct identity *who)
{
	c->result = json_pack("{s:o, s:s, s:b, s:o, s:o, s:o, s:o}",
	    "principal", maybe(who->principal), "verified", who->verified,
	    "owner", who->owner, "scope", credentials_scope_json(who->scope),
	    "sessions", maybe(who->targets), "expires_at",
	    who->until_ms != 0 ? time_json(who->until_ms) : json_null(), "home",
	    credentials_scope_json(access_home(c->hub->access, who)));
	hub_later(c->hub, on_identity, c);
	return 0;
}

static bool
read_time(const char *text, int64_t *ms)
{
	struct when when;

	if (when_parse(text, &when, NULL) < 0 || when.kind != WHEN_WALL)
		return false;
	*ms = (int64_t)(when.value / 1000000);
	return true;
}

static int
list_audit(struct hub_call *c, const json_t *args, struct fault *f)
{
	const char *since = op_string(args, "since", NULL);
	int64_t since_ms = 0;

	if (since != NULL && !read_time(since, &since_ms))
		return fault_argument(f, "since",
		    " must be a time, as in 2026-01-31T12:00:00Z");
	store_audit_list(c->hub->store, op_string(args, "principal", ""),
	    op_string(args, "session", ""), since_ms,
	    (unsigned)op_number(args, "limit", 100), on_audit, c);
	return 0;
}

static int
run(struct hub_call *c, const json_t *args, const char *session,
    const struct identity *who, struct fault *f)
{
	struct store *store = c->hub->store;

	switch ((enum op_id)(c->op - ops)) {
	case OP_ID_token_create:
		return create_token(c, args, who, f);
	case OP_ID_share_create:
		return create_share(c, args, session);
	case OP_ID_login_create:
		return create_login(c, args, who, f);
	case OP_ID_identity_get:
		return get_identity(c, who);
	case OP_ID_audit_list:
		return list_audit(c, args, f);
	case OP_ID_token_list:
		store_list(store, STORE_TOKEN, on_listed, c);
		return 0;
	case OP_ID_share_list:
		store_list(store, STORE_SHARE, on_listed, c);
		return 0;
	case OP_ID_token_revoke:
		store_revoke(store, STORE_TOKEN, op_string(args, "id", ""),
		    on_revoked, c);
		return 0;
	case OP_ID_share_revoke:
		store_revoke(store, STORE_SHARE, op_string(args, "id", ""),
		    on_revoked, c);
		return 0;
	default:
		return fault_set(f, FAIL_INTERNAL, "the hub lacks %s",
		    c->op->name);
	}
}

int
credentials_start(struct hub *hub, const struct op *op, const json_t *args,
    const char *session, const struct identity *who, calls_done_fn *fn,
    void *arg, struct hub_call **call, struct fault *f)
{
	struct hub_call *c = xcalloc(1, sizeof(*c));

	c->hub = hub;
	c->op = op;
	c->fn = fn;
	c->arg = arg;
	*call = c;
	if (run(c, args, session, who, f) < 0) {
		json_decref(c->result);
		free(c);
		return -1;
	}
	return 0;
}

void
credentials_cancel(struct hub_call *call)
{
	call->fn = NULL;
}
