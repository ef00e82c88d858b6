#include "hub/names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "hub/hub.h"
#include "hub/listener.h"
#include "web/gate.h"

/* An option --host in its parts, or an address. */
struct name {
	char scheme[8]; /* "": that of the hub */
	char host[NAMES_SIZE];
	unsigned port; /* 0: none */
};

static bool
takes_scheme(const char **at, const char *scheme, struct name *n)
{
	size_t len = strlen(scheme);

	if (strncmp(*at, scheme, len) != 0 || strncmp(*at + len, "://", 3) != 0)
		return false;
	*at += len + 3;
	memcpy(n->scheme, scheme, len + 1);
	return true;
}

/* The length of the host at `at`: a name, an IPv4 address, or [IPv6]. */
static size_t
host_length(const char *at)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789.-_";
	size_t len;

	if (*at != '[')
		return strspn(at, plain);
	len = strcspn(at, "]");
	return at[len] == ']' ? len + 1 : 0;
}

static bool
name_read(const char *text, struct name *n)
{
	uint64_t port = 0;
	size_t len;

	*n = (struct name){ .port = 0 };
	if (!takes_scheme(&text, "https", n))
		(void)takes_scheme(&text, "http", n);
	len = host_length(text);
	if (len == 0 || len >= sizeof(n->host))
		return false;
	memcpy(n->host, text, len);
	text += len;
	if (*text == ':') {
		text++;
		if (!number_take(&text, 65535, &port) || port == 0)
			return false;
	}
	n->port = (unsigned)port;
	return *text == '\0';
}

int
names_check(const struct hub_options *o, struct error *err)
{
	struct name n;

	for (unsigned i = 0; i < o->n_hosts; i++) {
		if (!name_read(o->hosts[i], &n))
			return error_set(err, EINVAL,
			    "--host %.100s is not a name, as in "
			    "box.example.net, box.example.net:8000 or "
			    "https://box.example.net",
			    o->hosts[i]);
	}
	return 0;
}

/* ------------------------------------------------------------ the addresses */

static void
name_address(struct name *n, int family, const void *address)
{
	char text[INET6_ADDRSTRLEN];

	*n = (struct name){ .port = 0 };
	inet_ntop(family, address, text, sizeof(text));
	snprintf(n->host, sizeof(n->host), family == AF_INET6 ? "[%s]" : "%s",
	    text);
}

/* False for an address that means nothing on another machine. */
static bool
name_interface(struct name *n, const struct sockaddr *sa, int family)
{
	const struct sockaddr_in6 *six = (const void *)sa;
	const struct sockaddr_in *four = (const void *)sa;

	if (sa == NULL || sa->sa_family != family ||
	    (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr)))
		return false;
	name_address(n, family,
	    family == AF_INET6 ? (const void *)&six->sin6_addr :
				 (const void *)&four->sin_addr);
	return true;
}

/* The addresses of the machine, those of the loopback last. */
static size_t
interfaces(int family, struct name *out)
{
	struct ifaddrs *all;
	size_t n = 0;

	if (getifaddrs(&all) < 0)
		return 0;
	for (unsigned last = 0; last < 2; last++) {
		for (struct ifaddrs *i = all; i != NULL; i = i->ifa_next) {
			bool loops = i->ifa_flags & IFF_LOOPBACK;

			if (n < NAMES_ADDRESSES && loops == (last == 1) &&
			    name_interface(&out[n], i->ifa_addr, family))
				n++;
		}
	}
	freeifaddrs(all);
	return n;
}

/* The addresses behind one that the hub serves. */
static size_t
addresses(const char *address, struct name out[NAMES_ADDRESSES])
{
	uint8_t bytes[16];
	int family = strchr(address, ':') != NULL ? AF_INET6 : AF_INET;

	if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0)
		return interfaces(family, out);
	if (inet_pton(family, address, bytes) != 1)
		return 0;
	name_address(&out[0], family, bytes);
	return 1;
}

static bool
is_loopback(const struct name *n)
{
	return strncmp(n->host, "127.", 4) == 0 ||
	    strcmp(n->host, "[::1]") == 0;
}

/* ----------------------------------------------------------------- the gate */

static const char *
scheme_of(const struct hub *hub, const struct name *n)
{
	if (n->scheme[0] != '\0')
		return n->scheme;
	return hub->tls != NULL ? "https" : "http";
}

/* "NAME:PORT", or "NAME" if it is the port of the scheme. */
static void
put_name(char out[GATE_NAME_SIZE], const char *scheme, const char *host,
    unsigned port)
{
	unsigned own = strcmp(scheme, "https") == 0 ? 443 : 80;

	if (port == 0 || port == own)
		snprintf(out, GATE_NAME_SIZE, "%s", host);
	else
		snprintf(out, GATE_NAME_SIZE, "%s:%u", host, port);
}

static void
allow(struct hub *hub, const struct name *n, unsigned port)
{
	const char *scheme = scheme_of(hub, n);
	char text[GATE_NAME_SIZE];

	put_name(text, scheme, n->host, port);
	gate_allow(&hub->gate, scheme, text);
	if (hub->url[0] == '\0')
		snprintf(hub->url, sizeof(hub->url), "%s://%s", scheme, text);
}

static void
allow_option(struct hub *hub, const struct name *n, unsigned port)
{
	struct name proxied = *n;

	if (n->port != 0 || n->scheme[0] != '\0') {
		allow(hub, n, n->port);
	} else {
		allow(hub, n, port);
		allow(hub, n, 0);
	}
	if (n->scheme[0] != '\0')
		return;
	/* A proxy in front of the hub may have TLS. */
	memcpy(proxied.scheme, "https", sizeof("https"));
	allow(hub, &proxied, n->port);
}

void
names_allow(struct hub *hub, const char *address, unsigned port)
{
	static const struct name localhost = { .host = "localhost" };
	struct name found[NAMES_ADDRESSES], n;
	size_t count = addresses(address, found);

	for (unsigned i = 0; i < hub->options->n_hosts; i++) {
		if (name_read(hub->options->hosts[i], &n))
			allow_option(hub, &n, port);
	}
	for (size_t i = 0; i < count; i++) {
		allow(hub, &found[i], port);
		if (is_loopback(&found[i]))
			allow(hub, &localhost, port);
	}
}

/* ---------------------------------------------------------- the certificate */

struct list_of_names {
	char (*names)[NAMES_SIZE];
	size_t n;
};

/* Addresses in certificates have no brackets. */
static void
add(struct list_of_names *l, const char *host)
{
	size_t len = strlen(host);

	if (host[0] == '[') {
		host++;
		len -= 2;
	}
	for (size_t i = 0; i < l->n; i++) {
		if (strlen(l->names[i]) == len &&
		    memcmp(l->names[i], host, len) == 0)
			return;
	}
	if (l->n == NAMES_MAX || len == 0)
		return;
	memcpy(l->names[l->n], host, len);
	l->names[l->n++][len] = '\0';
}

size_t
names_of_certificate(const struct hub_options *o,
    char out[NAMES_MAX][NAMES_SIZE])
{
	struct list_of_names l = { .names = out };
	struct name n, found[NAMES_ADDRESSES];
	char own[NAMES_SIZE] = "", host[NAMES_SIZE];
	unsigned port;

	for (unsigned i = 0; i < o->n_hosts; i++) {
		if (name_read(o->hosts[i], &n))
			add(&l, n.host);
	}
	add(&l, "localhost");
	if (gethostname(own, sizeof(own) - 1) == 0)
		add(&l, own);
	for (unsigned i = 0; i < o->n_listen; i++) {
		size_t count = 0;

		if (listener_parse(o->listen[i], host, sizeof(host), &port,
			NULL) == 0)
			count = addresses(host, found);
		for (size_t k = 0; k < count; k++)
			add(&l, found[k].host);
	}
	return l.n;
}
