#include "cmd/hub/hub_options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/path.h"
#include "home/config.h"

#define BLANKS " \t"

struct arguments {
	char **argv;
	size_t n;
};

static void
add(struct arguments *a, const char *option, const char *value, size_t len)
{
	struct buf b;

	buf_init(&b, SIZE_MAX);
	buf_printf(&b, "--%s=%.*s", option, (int)len, value);
	a->argv = xrealloc(a->argv, a->n + 2, sizeof(*a->argv));
	a->argv[a->n++] = buf_take(&b);
	a->argv[a->n] = NULL;
}

static void
add_text(struct arguments *a, const char *option, const char *value)
{
	if (value != NULL)
		add(a, option, value, strlen(value));
}

/* The options if there are any, else the words of the setting. */
static void
add_list(struct arguments *a, const char *option, const struct opt_list *l,
    const char *setting)
{
	const char *at = setting != NULL && l->n == 0 ? setting : "";

	for (size_t i = 0; i < l->n; i++)
		add_text(a, option, l->items[i].value);
	for (at += strspn(at, BLANKS); *at != '\0'; at += strspn(at, BLANKS)) {
		size_t len = strcspn(at, BLANKS);

		add(a, option, at, len);
		at += len;
	}
}

/* Append a path, which begins in the current directory if it is relative. */
static int
put_path(struct buf *b, const char *path, size_t len, struct error *err)
{
	char cwd[PATH_MAX];

	if (path[0] != '/') {
		if (getcwd(cwd, sizeof(cwd)) == NULL)
			return error_set(err, errno,
			    "cannot find the current directory: %s",
			    strerror(errno));
		buf_printf(b, "%s/", cwd);
	}
	buf_append(b, path, len);
	return 0;
}

static int
add_tls(struct arguments *a, const char *tls, struct error *err)
{
	const char *colon = tls != NULL ? strchr(tls, ':') : NULL;
	auto_free char *value = NULL;
	struct buf b;
	int rc;

	if (tls == NULL)
		return 0;
	if (strcmp(tls, "self") == 0) {
		add_text(a, "tls", tls);
		return 0;
	}
	if (colon == NULL || colon == tls || colon[1] == '\0' ||
	    strchr(colon + 1, ':') != NULL)
		return error_set(err, EINVAL,
		    "--tls %.80s: give \"self\", or the files of a certificate "
		    "and its key as CERT:KEY",
		    tls);
	buf_init(&b, 2 * PATH_MAX);
	rc = put_path(&b, tls, (size_t)(colon - tls), err);
	buf_putc(&b, ':');
	if (rc == 0)
		rc = put_path(&b, colon + 1, strlen(colon + 1), err);
	value = buf_take(&b);
	if (rc == 0)
		add_text(a, "tls", value);
	return rc;
}

/* A field of HTTP that means nothing else to the hub. */
static int
check_header(const char *header, struct error *err)
{
	static const char *const others[] = { "host", "origin", "cookie",
		"authorization", "x-tend-key" };
	size_t len = strspn(header,
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

	if (len == 0 || header[len] != '\0')
		return error_set(err, EINVAL,
		    "--proxy-header %.100s is not the name of a header, as in "
		    "X-User",
		    header);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (strcasecmp(others[i], header) == 0)
			return error_set(err, EINVAL,
			    "--proxy-header %s means something else already; "
			    "use a header of the proxy's own, as in X-User",
			    header);
	}
	return 0;
}

/* Addresses of clients are compared as texts. */
static int
check_address(const char *from, struct error *err)
{
	char text[INET6_ADDRSTRLEN] = "";
	uint8_t bytes[16];
	int family = strchr(from, ':') != NULL ? AF_INET6 : AF_INET;

	if (inet_pton(family, from, bytes) != 1)
		return error_set(err, EINVAL,
		    "--proxy-from %.100s is not a numeric IP address", from);
	inet_ntop(family, bytes, text, sizeof(text));
	if (strcmp(text, from) == 0)
		return 0;
	return error_set(err, EINVAL, "--proxy-from %.100s: write it as %s",
	    from, text);
}

/* One without the other would trust nobody, or everybody. */
static int
check_proxy(const char *header, const char *from, struct error *err)
{
	int rc;

	if (header == NULL && from == NULL)
		return 0;
	if (header == NULL || from == NULL)
		return error_set(err, EINVAL,
		    "--proxy-header and --proxy-from belong together: the "
		    "header with the name of the user, and the address of the "
		    "proxy that sends it");
	rc = check_header(header, err);
	return rc < 0 ? rc : check_address(from, err);
}

char **
hub_options_arguments(const struct hub_options *o, const struct config *config,
    const char *home, struct error *err)
{
	static const struct config none;
	const struct config *c = config != NULL ? config : &none;
	const char *header = config_or(c, CONFIG_HUB_PROXY_HEADER,
	    o->proxy_header);
	const char *from = config_or(c, CONFIG_HUB_PROXY_FROM, o->proxy_from);
	struct arguments a = { .argv = xcalloc(1, sizeof(char *)) };
	int rc;

	add_text(&a, "home", home);
	add_list(&a, "listen", &o->listen, config_text(c, CONFIG_HUB_LISTEN));
	add_list(&a, "host", &o->host, config_text(c, CONFIG_HUB_HOST));
	add_text(&a, "proxy-header", header);
	add_text(&a, "proxy-from", from);
	rc = add_tls(&a, config_or(c, CONFIG_HUB_TLS, o->tls), err);
	if (rc == 0)
		rc = check_proxy(header, from, err);
	if (rc == 0)
		return a.argv;
	hub_options_free(a.argv);
	return NULL;
}

void
hub_options_free(char **argv)
{
	for (size_t i = 0; argv != NULL && argv[i] != NULL; i++)
		free(argv[i]);
	free(argv);
}
