#include "web/cookie.h"

#include <stdio.h>
#include <string.h>

#include "web/http.h"

static const char *
name_of(bool tls)
{
	return tls ? "__Host-tend" : "tend";
}

bool
cookie_read(const struct http_request *r, bool tls, char *out, size_t size)
{
	const char *at = http_field(r, "cookie"), *name = name_of(tls);
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
cookie_write(char out[COOKIE_SIZE], const char *value, bool tls, long max_age_s)
{
	snprintf(out, COOKIE_SIZE,
	    "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%ld%s",
	    name_of(tls), value, max_age_s, tls ? "; Secure" : "");
}
