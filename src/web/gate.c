#include "web/gate.h"

#include <stdio.h>
#include <string.h>

#include "web/http.h"

void
gate_init(struct gate *g)
{
	memset(g, 0, sizeof(*g));
}

void
gate_init_unix(struct gate *g)
{
	gate_init(g);
	g->is_unix = true;
}

/* True if the gate has the host, and the origin with it; NULL: any. */
static bool
has(const struct gate *g, const char *host, const char *origin)
{
	for (unsigned i = 0; i < g->n; i++) {
		if (strcmp(g->hosts[i], host) == 0 &&
		    (origin == NULL || strcmp(g->origins[i], origin) == 0))
			return true;
	}
	return false;
}

void
gate_allow(struct gate *g, const char *scheme, const char *host)
{
	char name[GATE_NAME_SIZE], origin[GATE_NAME_SIZE];
	size_t len = strlen(host);

	if (g->n == GATE_NAMES_MAX || len >= sizeof(name))
		return;
	for (size_t i = 0; i <= len; i++)
		name[i] = host[i] >= 'A' && host[i] <= 'Z' ?
		    (char)(host[i] - 'A' + 'a') :
		    host[i];
	if (snprintf(origin, sizeof(origin), "%s://%s", scheme, name) >=
		(int)sizeof(origin) ||
	    has(g, name, origin))
		return;
	memcpy(g->hosts[g->n], name, sizeof(name));
	memcpy(g->origins[g->n], origin, sizeof(origin));
	g->n++;
}

static int
refuse(const char *reason, int status, const char **why)
{
	*why = reason;
	return status;
}

/* A person followed a link to a page. */
static bool
is_navigation(const struct http_request *r)
{
	const char *mode = http_field(r, "sec-fetch-mode");
	const char *dest = http_field(r, "sec-fetch-dest");

	return strcmp(r->method, "GET") == 0 && mode != NULL &&
	    strcmp(mode, "navigate") == 0 && dest != NULL &&
	    strcmp(dest, "document") == 0;
}

static bool
is_own_site(const struct http_request *r)
{
	const char *site = http_field(r, "sec-fetch-site");

	return site == NULL || strcmp(site, "same-origin") == 0 ||
	    strcmp(site, "none") == 0;
}

int
gate_check(const struct gate *g, const struct http_request *r,
    enum gate_kind kind, const char **why)
{
	const char *host = http_field(r, "host");
	const char *origin = http_field(r, "origin");

	if (g->is_unix)
		return origin == NULL ?
		    0 :
		    refuse("a browser cannot use this socket", 403, why);
	if (host == NULL || !has(g, host, NULL))
		return refuse("the hub does not have this Host; \"tend hub "
			      "start --host NAME\" allows another one",
		    421, why);
	if (origin != NULL && !has(g, host, origin))
		return refuse("pages of this Origin may not use the hub", 403,
		    why);
	if (!is_own_site(r) && !(kind == GATE_PAGE && is_navigation(r)))
		return refuse("pages of other sites may not use the hub", 403,
		    why);
	return 0;
}
