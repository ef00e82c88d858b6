#include "home/pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "home/fault.h"

static char *
join(const char *key, const char *value)
{
	size_t size = strlen(key) + strlen(value) + 2;
	char *text = xmalloc(size);

	snprintf(text, size, "%s=%s", key, value);
	return text;
}

void
pairs_free(char **pairs)
{
	mem_free_list(pairs);
}

static int
refuse(struct fault *f, const char *name, const char *type)
{
	return fault_argument(f, name, " must be %s of strings", type);
}

/* A = in a key would change the meaning of the pair. */
static int
check_pair(const char *name, const char *key, const json_t *v, struct fault *f)
{
	if (!json_is_string(v))
		return refuse(f, name, "an object");
	if (key[0] == '\0' || strchr(key, '=') != NULL)
		return fault_argument(f, name,
		    " must have keys that are not empty and have no =, not "
		    "'%.40s'",
		    key);
	return 0;
}

int
pairs_of_object(const json_t *args, const char *name, char ***out,
    struct fault *f)
{
	json_t *object = json_object_get(args, name), *v;
	size_t n = 0;
	const char *key;
	char **pairs;

	*out = NULL;
	if (object == NULL || json_is_null(object))
		return 0;
	if (!json_is_object(object))
		return refuse(f, name, "an object");
	pairs = xcalloc(json_object_size(object) + 1, sizeof(*pairs));
	json_object_foreach(object, key, v)
	{
		if (check_pair(name, key, v, f) < 0) {
			pairs_free(pairs);
			return -1;
		}
		pairs[n++] = join(key, json_string_value(v));
	}
	*out = pairs;
	return 0;
}

int
pairs_of_array(const json_t *args, const char *name, char ***out,
    struct fault *f)
{
	const json_t *array = json_object_get(args, name), *v;
	char **texts;
	size_t i;

	*out = NULL;
	if (array == NULL || json_is_null(array))
		return 0;
	if (!json_is_array(array))
		return refuse(f, name, "an array");
	texts = xcalloc(json_array_size(array) + 1, sizeof(*texts));
	json_array_foreach(array, i, v)
	{
		if (!json_is_string(v)) {
			pairs_free(texts);
			return refuse(f, name, "an array");
		}
		texts[i] = xstrdup(json_string_value(v));
	}
	*out = texts;
	return 0;
}
