#include "hub/login.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "hub/audit.h"
#include "hub/connection.h"
#include "hub/credentials.h"
#include "hub/exchange_state.h"
#include "hub/hub.h"
#include "hub/identify.h"
#include "hub/rights.h"
#include "hub/secret.h"
#include "hub/store.h"
#include "hub/verifier.h"
#include "web/cookie.h"
#include "web/http.h"

#define COOKIE_MS (30ll * 24 * 60 * 60 * 1000)

/* A browser that logs in. */
struct login {
	struct exchange *exchange; /* NULL: it has left */
	struct hub *hub;
	struct verifying *verifying;
	enum store_kind kind;
	struct identity who;
	char parent[IDENTITY_CREDENTIAL_SIZE];
	char secret[SECRET_SIZE], key[SECRET_SIZE];
};

static void
set_cookie(struct exchange *x, const char *value, long max_age_s)
{
	char name[COOKIE_NAME_SIZE], cookie[COOKIE_SIZE];

	identify_cookie(x->connection, name);
	cookie_write(cookie, name, value, x->connection->tls != NULL,
	    max_age_s);
	exchange_add_header(x, "Set-Cookie", cookie);
}

static void
on_gone(void *arg)
{
	struct login *l = arg;

	l->exchange = NULL;
	if (l->verifying != NULL) {
		verifier_cancel(l->verifying);
		free(l);
	}
}

static void
refuse(struct exchange *x)
{
	exchange_problem(x, 401, "denied",
	    "the link is not valid, was used, or has ended");
}

static void
on_added(void *arg, int rc, json_t *result)
{
	struct login *l = arg;
	struct exchange *x = l->exchange;

	(void)result;
	if (x != NULL && rc == -ENOENT) {
		refuse(x); /* the link was revoked meanwhile */
	} else if (x != NULL && rc == -EDQUOT) {
		exchange_problem(x, 429, "busy",
		    "too many browsers use this link");
	} else if (x != NULL && rc < 0) {
		exchange_problem(x, 503, "storage",
		    "the hub cannot write its database");
	} else if (x != NULL) {
		audit_note(l->hub->audit,
		    &(struct audit_use){ .who = &l->who,
			.from = exchange_from(x),
			.what = "login" },
		    AUDIT_ALLOWED);
		set_cookie(x, l->secret,
		    (long)((l->who.until_ms - clock_ms(CLOCK_REALTIME)) /
			1000));
		exchange_json(x, 200,
		    json_pack("{s:s, s:s, s:o}", "key", l->key, "principal",
			l->who.principal, "scope",
			credentials_scope_json(l->who.scope)));
	}
	explicit_bzero(l, sizeof(*l));
	free(l);
}

static void
on_verified(void *arg, int rc, const struct identity *who)
{
	struct login *l = arg;
	struct exchange *x = l->exchange;
	struct store_new n = { .kind = STORE_COOKIE,
		.label = "browser",
		.parent = l->kind == STORE_SHARE ? l->parent : NULL,
		.secret = l->secret,
		.key = l->key };

	l->verifying = NULL;
	if (rc < 0 && rc != -ENOENT) {
		hub_note(l->hub, HUB_STORE_FAILED, "cannot verify a login",
		    strerror(-rc));
		exchange_problem(x, 503, "storage",
		    "the hub cannot read its credentials");
		free(l);
		return;
	}
	if (rc < 0) {
		identify_failed(l->hub, exchange_from(x), "login");
		refuse(x);
		free(l);
		return;
	}
	if (l->kind == STORE_CODE)
		failpoint("login-code-taken");
	l->who = *who;
	snprintf(l->parent, sizeof(l->parent), "%s", who->credential);
	id_create(&l->hub->ids, l->who.credential);
	if (l->kind == STORE_CODE) {
		snprintf(l->who.principal, sizeof(l->who.principal),
		    "owner:browser/%s", l->who.credential);
		l->who.until_ms = clock_ms(CLOCK_REALTIME) + COOKIE_MS;
	}
	secret_make("tend_c_", l->secret);
	secret_make("tend_k_", l->key);
	n.who = l->who;
	store_add(l->hub->store, &n, on_added, l);
}

void
login_take(struct exchange *x)
{
	struct hub *hub = exchange_hub(x);
	size_t len;
	const char *body = (const char *)exchange_body(x, &len);
	auto_json json_t *o = json_tree_object(body, len, NULL);
	const char *code = json_string_value(json_object_get(o, "code"));
	const char *share = json_string_value(json_object_get(o, "share"));
	const char *type = http_field(exchange_request(x), "content-type");
	const char *secret;
	enum store_kind kind;
	struct verifying *w;
	struct login *l;

	/* A form of another site could send anything else. */
	if (type == NULL || strcmp(type, "application/json") != 0) {
		exchange_problem(x, 415, "usage",
		    "the body must be application/json");
		return;
	}
	if ((code == NULL) == (share == NULL)) {
		exchange_problem(x, 400, "usage",
		    "the body must have `code` or `share`");
		return;
	}
	kind = code != NULL ? STORE_CODE : STORE_SHARE;
	secret = code != NULL ? code : share;
	if (!x->connection->peer.is_unix &&
	    identify_wait(hub, exchange_from(x), kind, secret, NULL) > 0) {
		exchange_add_header(x, "Retry-After", "60");
		exchange_problem(x, 429, "busy",
		    "there were too many wrong credentials; wait a minute");
		return;
	}
	l = xcalloc(1, sizeof(*l));
	l->exchange = x;
	l->hub = hub;
	l->kind = kind;
	exchange_on_gone(x, on_gone, l);
	/* The answer may come at once, and end the login. */
	w = verifier_check(hub->verifier, kind, secret, NULL, on_verified, l);
	if (w != NULL)
		l->verifying = w;
}

/* ------------------------------------------------------------------ logout */

static void
on_revoked(void *arg, int rc, json_t *result)
{
	struct login *l = arg;

	/* -ENOENT: it was ended by somebody else at the same time. */
	if (l->exchange != NULL && rc < 0 && rc != -ENOENT) {
		exchange_problem(l->exchange, 503, "storage",
		    "the hub cannot write its database");
	} else if (l->exchange != NULL) {
		set_cookie(l->exchange, "", 0);
		exchange_json(l->exchange, 200, json_object());
	}
	if (rc == 0)
		rights_end(l->hub, result);
	free(l);
}

void
login_end(struct exchange *x)
{
	const struct identity *who = exchange_identity(x);
	struct login *l;

	if (strcmp(who->verified, "cookie") != 0) {
		exchange_problem(x, 400, "usage", "only a browser logs out");
		return;
	}
	l = xcalloc(1, sizeof(*l));
	l->exchange = x;
	l->hub = exchange_hub(x);
	exchange_on_gone(x, on_gone, l);
	store_revoke(l->hub->store, STORE_COOKIE, who->credential, on_revoked,
	    l);
}
