#include "home/label.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "session/manifest.h"

int
label_set(struct manifest *m, const char *text, struct error *err)
{
	size_t len = strcspn(text, "=");
	auto_free char *key = xmemdup(text, len + 1);

	key[len] = '\0';
	if (text[len] == '\0')
		return error_set(err, EINVAL,
		    "not a label: %.100s; give KEY=VALUE, or KEY= to remove one",
		    text);
	return manifest_set_label(m, key,
	    text[len + 1] != '\0' ? text + len + 1 : NULL, err);
}

int
label_add(struct manifest *m, const char *text, struct error *err)
{
	const char *value = strchr(text, '=');

	if (value == NULL || value[1] == '\0')
		return error_set(err, EINVAL,
		    "not a label: %.100s; give KEY=VALUE", text);
	return label_set(m, text, err);
}

/* True if the session has the label; KEY alone matches any value. */
static bool
matches(const struct manifest *m, const char *text)
{
	size_t len = strcspn(text, "=");

	for (size_t i = 0; i < m->n_labels; i++) {
		const struct label *l = &m->labels[i];

		if (strlen(l->key) == len && memcmp(l->key, text, len) == 0)
			return text[len] == '\0' ||
			    strcmp(l->value, text + len + 1) == 0;
	}
	return false;
}

bool
label_matches_all(const struct manifest *m, const char *const *texts)
{
	for (; texts != NULL && *texts != NULL; texts++)
		if (!matches(m, *texts))
			return false;
	return true;
}
