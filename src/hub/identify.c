#include "hub/identify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/error.h"
#include "hub/audit.h"
#include "hub/connection.h"
#include "hub/exchange_state.h"
#include "hub/hub.h"
#include "hub/throttle.h"
#include "hub/verifier.h"
#include "op/ops.h"
#include "web/cookie.h"
#include "web/http.h"
#include "wire/hello.h"

#define BEARER "Bearer "

static void
refuse(struct exchange *x, const char *why)
{
	exchange_add_header(x, "WWW-Authenticate", "Bearer realm=\"tend\"");
	exchange_problem(x, 401, "denied", why);
}

/* ------------------------------------------------------------- credentials */

int64_t
identify_wait(struct hub *hub, const char *from, enum store_kind kind,
    const char *secret, const char *key)
{
	int64_t wait = throttle_wait(hub->throttle, from,
	    clock_ms(CLOCK_MONOTONIC));

	return verifier_knows(hub->verifier, kind, secret, key) ? 0 : wait;
}

void
identify_failed(struct hub *hub, const char *from, const char *what)
{
	throttle_failed(hub->throttle, from, clock_ms(CLOCK_MONOTONIC));
	audit_denied(hub->audit,
	    &(struct audit_use){ .from = from, .what = what });
	hub->auth_failures++;
	hub_note(hub, HUB_AUTH_FAILED, "a credential was refused", from);
}

static void
on_verified(void *arg, int rc, const struct identity *who)
{
	struct exchange *x = arg;
	struct hub *hub = x->connection->hub;

	x->verifying = NULL;
	if (rc == 0) {
		x->who = *who;
		exchange_identified(x);
		return;
	}
	if (rc != -ENOENT) {
		hub_note(hub, HUB_STORE_FAILED, "cannot verify a credential",
		    strerror(-rc));
		exchange_problem(x, 503, "storage",
		    "the hub cannot read its credentials");
		return;
	}
	identify_failed(hub, x->connection->peer.from, "credential");
	refuse(x, "the credential is not valid, or has ended");
}

static void
check(struct exchange *x, enum store_kind kind, const char *secret,
    const char *key)
{
	struct hub *hub = x->connection->hub;
	int64_t wait = identify_wait(hub, x->connection->peer.from, kind,
	    secret, key);
	struct verifying *w;
	char seconds[24];

	if (wait > 0) {
		snprintf(seconds, sizeof(seconds), "%lld",
		    (long long)(wait + 999) / 1000);
		exchange_add_header(x, "Retry-After", seconds);
		exchange_problem(x, 429, "busy",
		    "there were too many wrong credentials; wait a minute");
		return;
	}
	/* The answer may come at once, and end the exchange. */
	w = verifier_check(hub->verifier, kind, secret, key, on_verified, x);
	if (w != NULL)
		x->verifying = w;
}

/* The headers that a proxy adds, in any case: their number, and the first. */
static unsigned
proxy_names(const struct exchange *x, const char **name)
{
	const struct http_request *r = exchange_request(x);
	const char *header = x->connection->hub->options->proxy_header;
	unsigned n = 0;

	for (unsigned i = r->n_fields; i > 0; i--) {
		if (strcasecmp(r->fields[i - 1].name, header) != 0)
			continue;
		*name = r->fields[i - 1].value;
		n++;
	}
	return n;
}

/*
 * A proxy that we trust has verified the user: 1.  -1: its header is invalid, or
 * there are two, and one may be the client's.  0: this is no such proxy, and the
 * header of anybody else means nothing.
 */
static int
identify_proxied(struct exchange *x)
{
	const struct hub_options *o = x->connection->hub->options;
	const char *name;
	unsigned n;

	if (o->proxy_header == NULL || o->proxy_from == NULL ||
	    strcmp(x->connection->peer.from, o->proxy_from) != 0)
		return 0;
	n = proxy_names(x, &name);
	if (n == 0)
		return 0;
	if (n > 1 || strlen(name) > 100)
		return -1;
	snprintf(x->who.principal, sizeof(x->who.principal), "user:%s", name);
	if (!hello_is_principal(x->who.principal))
		return -1;
	snprintf(x->who.verified, sizeof(x->who.verified), "proxy");
	x->who.scope = OP_EVERY_PERMISSION;
	return 1;
}

static void
check_bearer(struct exchange *x, const char *bearer)
{
	const char *secret = bearer + strlen(BEARER);

	if (strncmp(bearer, BEARER, strlen(BEARER)) != 0 ||
	    strlen(bearer) > 128)
		refuse(x, "the credential is not valid, or has ended");
	else
		check(x,
		    strncmp(secret, "tend_s_", 7) == 0 ? STORE_SHARE :
							 STORE_TOKEN,
		    secret, NULL);
}

void
identify_cookie(const struct connection *c, char out[COOKIE_NAME_SIZE])
{
	cookie_name(out, store_id(c->hub->store), c->tls != NULL);
}

/* A browser, with its cookie and the key of its page. */
static void
check_cookie(struct exchange *x, const char *key)
{
	char name[COOKIE_NAME_SIZE], cookie[128];

	identify_cookie(x->connection, name);
	if (!cookie_read(exchange_request(x), name, cookie, sizeof(cookie))) {
		refuse(x,
		    "log in with \"tend hub login\", or send a token in "
		    "the header Authorization");
	} else if (x->late_key && key == NULL) {
		/* The key comes in the first message (docs/stream.md). */
		snprintf(x->cookie, sizeof(x->cookie), "%s", cookie);
		exchange_identified(x);
	} else if (key == NULL || strlen(key) > 128) {
		refuse(x,
		    "a cookie needs the key of its page, in the header "
		    "X-Tend-Key");
	} else {
		check(x, STORE_COOKIE, cookie, key);
	}
}

/* ------------------------------------------------------------------- peers */

/*
 * The peer has all rights of the owner, unless it sends a token: then it asks for
 * those of the token, perhaps for somebody else, as a proxy does.
 */
static void
identify_peer(struct exchange *x, const char *bearer)
{
	const struct connection_peer *peer = &x->connection->peer;

	if (peer->confined) {
		exchange_problem(x, 403, "denied",
		    "a program in a confined session cannot use the hub; "
		    "\"tend\" uses the sessions that it may use");
		return;
	}
	if (peer->doubtful) {
		exchange_problem(x, 403, "denied",
		    "the hub cannot tell which session the client is in; "
		    "connect from a process that keeps running and is visible "
		    "to the hub");
		return;
	}
	if (bearer != NULL) {
		check_bearer(x, bearer);
		return;
	}
	if (peer->session[0] != '\0')
		snprintf(x->who.principal, sizeof(x->who.principal),
		    "local:session/%s", peer->session);
	snprintf(x->who.verified, sizeof(x->who.verified), "peer");
	x->who.owner = true;
	x->who.scope = OP_EVERY_PERMISSION;
	exchange_identified(x);
}

void
identify_begin(struct exchange *x)
{
	const char *bearer = http_field(exchange_request(x), "authorization");
	const char *key = http_field(exchange_request(x), "x-tend-key");
	int proxied;

	if (x->connection->peer.is_unix) {
		identify_peer(x, bearer);
		return;
	}
	if (bearer != NULL) {
		check_bearer(x, bearer);
		return;
	}
	proxied = identify_proxied(x);
	if (proxied < 0)
		refuse(x, "the name from the proxy is not valid");
	else if (proxied > 0)
		exchange_identified(x);
	else
		check_cookie(x, key);
}
