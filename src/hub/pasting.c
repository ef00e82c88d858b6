#include "hub/pasting.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

/* Media types whose files are text, or may be; a name that ends in / begins. */
static const char *const texts[] = { "text/", "application/json",
	"application/xml", "application/javascript", "application/yaml",
	"application/toml", "application/sql", "application/x-sh",
	"application/x-ndjson", "application/octet-stream",
	"application/x-www-form-urlencoded", "" };

static bool
ends_with(const char *p, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && strncasecmp(p + len - n, end, n) == 0;
}

static bool
may_be_text(const char *type)
{
	size_t len = strcspn(type, "; \t");

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		size_t n = strlen(texts[i]);
		bool begins = n > 0 && texts[i][n - 1] == '/';

		if ((begins ? len > n : len == n) &&
		    strncasecmp(type, texts[i], n) == 0)
			return true;
	}
	return ends_with(type, len, "+json") || ends_with(type, len, "+xml");
}

static bool
is_text(const uint8_t *p, size_t len)
{
	struct utf8 u = { 0 };
	uint32_t cp;

	for (size_t i = 0; i < len; i++) {
		enum utf8_step step = utf8_step(&u, p[i], &cp);

		if (step == UTF8_MORE)
			continue;
		if (step != UTF8_DONE ||
		    (cp < 0x20 && cp != '\t' && cp != '\n' && cp != '\r') ||
		    (cp >= 0x7f && cp < 0xa0))
			return false;
	}
	return u.need == 0 && len > 0;
}

enum pasting
pasting_of(const char *type, const void *p, size_t len)
{
	if (type == NULL)
		type = "";
	if (strncasecmp(type, "image/", 6) == 0)
		return PASTING_ABSOLUTE;
	if (p != NULL && len <= PASTING_TEXT_MAX && may_be_text(type) &&
	    is_text(p, len))
		return PASTING_CONTENT;
	return PASTING_RELATIVE;
}

const char *
pasting_path(const char *path, const char *directory)
{
	size_t n = strlen(directory);

	while (n > 0 && directory[n - 1] == '/')
		n--;
	if (directory[0] != '/' || strncmp(path, directory, n) != 0 ||
	    path[n] != '/' || path[n + 1] == '\0')
		return path;
	return path + n + 1;
}
