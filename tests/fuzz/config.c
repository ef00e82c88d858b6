/*
 * A hostile configuration file. Every value taken from it is valid by itself,
 * and every warning is one line that names the file.
 */
#include "home/config.h"

#include <string.h>

#include "base/buf.h"
#include "fuzz.h"

#define FILE_NAME "/f"

static void
on_warning(void *arg, const char *text)
{
	unsigned *n = arg;

	MUST(strncmp(text, FILE_NAME ":", 3) == 0);
	MUST(strchr(text, '\n') == NULL);
	++*n;
}

/* Written alone, the value is read back without a warning. */
static void
is_valid(enum config_key key, const char *value)
{
	const struct config_setting *s = &config_settings[key];
	unsigned warnings = 0;
	struct config c;
	struct buf b;

	buf_init(&b, 1 << 16);
	buf_printf(&b, "[%s]\n%s=\"%s\"", s->section, s->key, value);
	config_init(&c);
	config_take(&c, FILE_NAME, (char *)b.data, b.len, on_warning,
	    &warnings);
	MUST(warnings == 0 && config_text(&c, key) != NULL);
	MUST(strcmp(config_text(&c, key), value) == 0);
	config_finish(&c);
	buf_finish(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	unsigned warnings = 0;
	struct config c;

	config_init(&c);
	config_take(&c, FILE_NAME, (const char *)p, len, on_warning, &warnings);
	for (size_t i = 0; i < CONFIG_COUNT; i++)
		if (config_text(&c, (enum config_key)i) != NULL)
			is_valid((enum config_key)i,
			    config_text(&c, (enum config_key)i));
	config_finish(&c);
	return 0;
}
