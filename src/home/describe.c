#include "home/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/label.h"
#include "home/permit.h"

static int
ask(struct handle *h, const char *op, const char *args, char **result,
    struct fault *f)
{
	if (h->conn.fd < 0 && handle_connect(h, f) < 0)
		return -1;
	return handle_ask(h, op, args, result, f);
}

/* Without a host, this process writes session.json itself. */
static int
wait_to_write(struct handle *h, struct fault *f)
{
	if (permit_session(&h->home, &h->session, OP_CONTROL, f) < 0)
		return -1;
	return handle_wait_gone(h, f);
}

static int
write_session(struct handle *h, char **result, struct fault *f)
{
	struct json_out j;
	struct error err;
	struct buf b;

	if (manifest_write(h->dirfd, &h->session, false, &err) < 0)
		return fault_set(f, FAIL_STORAGE, "%s", err.msg);
	buf_init(&b, 2 * MANIFEST_MAX);
	json_out_init(&j, &b);
	manifest_json(&h->session, &j);
	*result = buf_take(&b);
	return 0;
}

/* An ended session does not reserve its name. */
int
describe_rename(struct handle *h, const char *name, char **result,
    struct fault *f)
{
	auto_free char *args = NULL;
	struct error err;

	if (name_check(name, &err) < 0)
		return fault_set(f, FAIL_USAGE, "%s", err.msg);
	if (status_is_active(h->session.status)) {
		args = json_member("name", name);
		return ask(h, "session.rename", args, result, f);
	}
	if (wait_to_write(h, f) < 0)
		return -1;
	snprintf(h->session.name, sizeof(h->session.name), "%s", name);
	return write_session(h, result, f);
}

/* {"labels":{"key":"value","other":null}} */
static char *
label_arguments(const char *const *labels)
{
	struct json_out j;
	struct buf b;

	buf_init(&b, MANIFEST_MAX);
	json_out_init(&j, &b);
	json_out_open(&j, '{');
	json_put_open(&j, "labels", '{');
	for (; *labels != NULL; labels++) {
		size_t len = strcspn(*labels, "=");
		auto_free char *key = xmemdup(*labels, len + 1);
		const char *value = *labels + len + 1;

		key[len] = '\0';
		json_put_text(&j, key, *value != '\0' ? value : NULL);
	}
	json_out_close(&j, '}');
	json_out_close(&j, '}');
	return buf_take(&b);
}

static bool
removes(const char *label)
{
	const char *value = strchr(label, '=');

	return value != NULL && value[1] == '\0';
}

/* Remove labels first, as the host does, to make room for new ones. */
static int
set_labels(struct manifest *m, const char *const *labels, struct fault *f)
{
	struct error err;

	for (int set = 0; set <= 1; set++)
		for (const char *const *l = labels; *l != NULL; l++)
			if (removes(*l) != set && label_set(m, *l, &err) < 0)
				return fault_set(f, FAIL_USAGE, "%s", err.msg);
	return 0;
}

int
describe_label(struct handle *h, const char *const *labels, char **result,
    struct fault *f)
{
	bool active = status_is_active(h->session.status);
	auto_free char *args = NULL;

	if (!active && wait_to_write(h, f) < 0)
		return -1;
	if (set_labels(&h->session, labels, f) < 0)
		return -1;
	if (!active)
		return write_session(h, result, f);
	args = label_arguments(labels);
	return ask(h, "session.label", args, result, f);
}
