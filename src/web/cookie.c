#include "web/cookie.h"

#include <stdio.h>
#include <string.h>

#include "web/http.h"

void
cookie_name(char out[COOKIE_NAME_SIZE], const char *server, bool tls)
{
	snprintf(out, COOKIE_NAME_SIZE, "%stend-%s", tls ? "__Host-" : "",
	    server);
}

bool
cookie_read(const struct http_request *r, const char *name, char *out,
    size_t size)
{
	const char *at = http_field(r, "cookie");
	size_t name_len = strlen(name);
	bool found = false;

	while (at != NULL && *at != '\0') {
		size_t len = strcspn(at, ";");

		if (len > name_len && strncmp(at, name, name_len) == 0 &&
		    at[name_len] == '=') {
			if (found || len - name_len - 1 >= size)
				return false;
			snprintf(out, size, "%.*s", (int)(len - name_len - 1),
			    at + name_len + 1);
			found = true;
		}
		at += len;
		at += strspn(at, "; ");
	}
	return found;
}

void
cookie_write(char out[COOKIE_SIZE], const char *name, const char *value,
    bool tls, long max_age_s)
{
	snprintf(out, COOKIE_SIZE,
	    "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%ld%s", name,
	    value, max_age_s, tls ? "; Secure" : "");
}
