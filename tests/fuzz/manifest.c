/*
 * Any bytes as a session.json. They are refused with a reason, or they are
 * read, written and read again with the same result, and everything is within
 * its bounds.
 */
#include "session/manifest.h"

#include <string.h>

#include "base/buf.h"
#include "base/id.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "session/home.h"

static void
is_within_bounds(const struct manifest *m)
{
	MUST(id_is_valid(m->id));
	MUST(m->name[0] == '\0' || name_check(m->name, NULL) == 0);
	MUST(m->command != NULL && m->command[0] != NULL && m->cwd != NULL);
	MUST(status_name(m->status) != NULL);
	MUST(m->keeper.pid >= 0 && m->host.pid >= 0 && m->child.pid >= 0);
	MUST(m->n_labels <= MANIFEST_LABELS_MAX);
	for (size_t i = 0; i < m->n_labels; i++) {
		size_t key = strlen(m->labels[i].key);

		MUST(key > 0 && key <= LABEL_KEY_MAX);
		MUST(strlen(m->labels[i].value) <= LABEL_VALUE_MAX);
	}
}

/* The file may grow by keys that it left out and by escapes. */
static void
comes_back(const struct manifest *m)
{
	struct manifest again;
	struct buf one, two;

	buf_init(&one, 8 * MANIFEST_MAX);
	buf_init(&two, 8 * MANIFEST_MAX);
	MUST(manifest_format(m, &one) == 0);
	if (one.len <= MANIFEST_MAX) {
		MUST(manifest_parse((char *)one.data, one.len, &again, NULL) ==
		    0);
		MUST(manifest_format(&again, &two) == 0);
		MUST(one.len == two.len);
		MUST(memcmp(one.data, two.data, one.len) == 0);
		manifest_finish(&again);
	}
	buf_finish(&one);
	buf_finish(&two);
}

static void
gives_an_object(const struct manifest *m)
{
	struct json_out j;
	struct buf b;
	json_t *o;

	buf_init(&b, 8 * MANIFEST_MAX);
	json_out_init(&j, &b);
	manifest_json(m, &j);
	o = json_tree_object((char *)b.data, b.len, NULL);
	MUST(o != NULL);
	json_decref(o);
	buf_finish(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	struct error err = { 0 };
	struct manifest m;

	if (manifest_parse((const char *)p, len, &m, &err) < 0) {
		MUST(err.code > 0 && err.msg[0] != '\0');
		MUST(m.command == NULL && m.labels == NULL);
		return 0;
	}
	is_within_bounds(&m);
	comes_back(&m);
	gives_an_object(&m);
	manifest_reconcile(&m);
	is_within_bounds(&m);
	manifest_finish(&m);
	return 0;
}
