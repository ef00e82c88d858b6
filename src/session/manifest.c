#include "session/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/id.h"
#include "base/json_field.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "session/grant.h"
#include "session/home.h"
#include "session/manifest_state.h"

#define FILE_VERSION 1
#define MAX_LOG_DEFAULT (256ull << 20)
#define LINGER_MS_DEFAULT 10000
#define SCROLLBACK_DEFAULT 2000
#define PID_LIMIT (1 << 22) /* the kernel's limit */
#define TEXT_MAX 4096

/*
 * The members of the file in this order.  The version comes before them; the
 * command, the cwd and the labels, which are no plain fields, come after.
 */
static const struct json_field fields[] = {
	JSON_FIELD(struct manifest, id, "id", TEXT, 0),
	JSON_FIELD(struct manifest, name, "name", TEXT, 0),
	JSON_FIELD_NAMES(struct manifest, status, "status", status_names),
	JSON_FIELD_NAMES(struct manifest, outcome, "outcome", outcome_names),
	JSON_FIELD(struct manifest, cols, "cols", UINT, UINT16_MAX),
	JSON_FIELD(struct manifest, rows, "rows", UINT, UINT16_MAX),
	JSON_FIELD(struct manifest, created_ms, "created_ms", INT, 0),
	JSON_FIELD(struct manifest, ended_ms, "ended_ms", INT, 0),
	JSON_FIELD(struct manifest, has_exit, "has_exit", BOOL, 0),
	JSON_FIELD(struct manifest, exit_code, "exit_code", INT, 0),
	JSON_FIELD(struct manifest, exit_signal, "exit_signal", UINT, 128),
	JSON_FIELD(struct manifest, keeper.pid, "keeper_pid", UINT, PID_LIMIT),
	JSON_FIELD(struct manifest, keeper.start, "keeper_start", UINT,
	    INT64_MAX),
	JSON_FIELD(struct manifest, host.pid, "host_pid", UINT, PID_LIMIT),
	JSON_FIELD(struct manifest, host.start, "host_start", UINT, INT64_MAX),
	JSON_FIELD(struct manifest, child.pid, "child_pid", UINT, PID_LIMIT),
	JSON_FIELD(struct manifest, child.start, "child_start", UINT,
	    INT64_MAX),
	JSON_FIELD(struct manifest, dir_dev, "dir_dev", UINT, INT64_MAX),
	JSON_FIELD(struct manifest, dir_ino, "dir_ino", UINT, INT64_MAX),
	JSON_FIELD(struct manifest, boot_id, "boot_id", TEXT, 0),
	JSON_FIELD(struct manifest, began_ns, "began_ns", UINT, INT64_MAX),
	JSON_FIELD_NAMES(struct manifest, input, "input", input_policy_names),
	JSON_FIELD_NAMES(struct manifest, size, "resize", size_policy_names),
	JSON_FIELD_NAMES(struct manifest, log_input, "log_input",
	    log_input_names),
	JSON_FIELD(struct manifest, durable, "durable", BOOL, 0),
	JSON_FIELD(struct manifest, max_log, "max_log", UINT, INT64_MAX),
	JSON_FIELD(struct manifest, idle_timeout_s, "idle_timeout_s", UINT,
	    UINT32_MAX),
	JSON_FIELD(struct manifest, linger_ms, "linger_ms", UINT, UINT32_MAX),
	JSON_FIELD(struct manifest, scrollback, "scrollback", UINT,
	    MANIFEST_SCROLLBACK_MAX),
	JSON_FIELD(struct manifest, seq, "seq", UINT, INT64_MAX),
	JSON_FIELD(struct manifest, offset, "offset", UINT, INT64_MAX),
	JSON_FIELD(struct manifest, log_bytes, "log_bytes", UINT, INT64_MAX),
	JSON_FIELD(struct manifest, logged_seq, "logged_seq", UINT, INT64_MAX),
	JSON_FIELD(struct manifest, logged_offset, "logged_offset", UINT,
	    INT64_MAX),
	JSON_FIELD(struct manifest, log_newest, "log_newest", UINT, UINT32_MAX),
	JSON_FIELD(struct manifest, post_mortem, "post_mortem", STRING,
	    TEXT_MAX),
	JSON_FIELD(struct manifest, degraded, "degraded", STRING, TEXT_MAX),
	JSON_FIELD(struct manifest, raw, "raw", BOOL, 0),
	JSON_FIELD(struct manifest, unkept, "unkept", BOOL, 0),
	JSON_FIELD(struct manifest, last_line, "last_line", CUT, 0),
	JSON_FIELD(struct manifest, said.state, "said_state", TEXT, 0),
	JSON_FIELD(struct manifest, said.kind, "said_kind", TEXT, 0),
	JSON_FIELD(struct manifest, said.app, "said_app", TEXT, 0),
	JSON_FIELD(struct manifest, said.text, "said_text", STRING, TEXT_MAX),
	JSON_FIELD(struct manifest, said.since_ms, "said_since_ms", INT, 0),
	JSON_FIELD(struct manifest, agent.name, "agent", TEXT, 0),
	JSON_FIELD(struct manifest, agent.version, "agent_version", TEXT, 0),
	JSON_FIELD_NAMES(struct manifest, agent.activity, "activity",
	    activity_names),
	JSON_FIELD(struct manifest, agent.source, "activity_source", TEXT, 0),
	JSON_FIELD(struct manifest, agent.confidence, "activity_confidence",
	    TEXT, 0),
	JSON_FIELD(struct manifest, agent.why, "activity_why", CUT, 0),
	JSON_FIELD(struct manifest, agent.since_ms, "activity_since_ms", INT,
	    0),
	JSON_FIELD(struct manifest, title, "title", CUT, 0),
	JSON_FIELD(struct manifest, notices.bells, "bells", UINT, INT64_MAX),
	JSON_FIELD(struct manifest, notices.bell_ms, "bell_ms", INT, 0),
	JSON_FIELD(struct manifest, notices.count, "notices", UINT, INT64_MAX),
	JSON_FIELD(struct manifest, notices.ms, "notice_ms", INT, 0),
	JSON_FIELD(struct manifest, notices.title, "notice_title", CUT, 0),
	JSON_FIELD(struct manifest, notices.text, "notice_text", CUT, 0),
	JSON_FIELD(struct manifest, observers, "observers", INT, 0),
	JSON_FIELD(struct manifest, memory_max, "memory_max", UINT, INT64_MAX),
	JSON_FIELD(struct manifest, pids_max, "pids_max", UINT, UINT32_MAX),
	JSON_FIELD(struct manifest, cpu_weight, "cpu_weight", UINT, 10000),
	JSON_FIELD(struct manifest, cgroup, "cgroup", STRING, TEXT_MAX),
	JSON_FIELD(struct manifest, unenforced, "unenforced", STRING, TEXT_MAX),
	JSON_FIELD_NAMES(struct manifest, restart, "restart",
	    restart_policy_names),
	JSON_FIELD(struct manifest, restarts, "restarts", UINT, UINT32_MAX),
	JSON_FIELD(struct manifest, quick_ends, "quick_ends", UINT, UINT32_MAX),
	JSON_FIELD(struct manifest, restart_start, "restart_start", UINT,
	    INT64_MAX),
	JSON_FIELD(struct manifest, gave_up, "gave_up", STRING, TEXT_MAX),
	JSON_FIELD(struct manifest, forget_env, "forget_env", BOOL, 0),
	JSON_FIELD(struct manifest, environ_crc, "environ_crc", UINT,
	    UINT32_MAX),
	JSON_FIELD(struct manifest, no_integration, "integration", NOT, 0),
	JSON_FIELD(struct manifest, shell, "shell", TEXT, 0),
	JSON_FIELD(struct manifest, shell_key, "shell_key", TEXT, 0),
	JSON_FIELD(struct manifest, rerun_of, "rerun_of", TEXT, 0),
	JSON_FIELD(struct manifest, confined, "confined", BOOL, 0),
	{ 0 },
};

void
manifest_init(struct manifest *m)
{
	*m = (struct manifest){ .status = STATUS_STARTING,
		.cols = 80,
		.rows = 24,
		.exit_code = -1,
		.observers = -1,
		.max_log = MAX_LOG_DEFAULT,
		.linger_ms = LINGER_MS_DEFAULT,
		.scrollback = SCROLLBACK_DEFAULT };
}

void
manifest_finish(struct manifest *m)
{
	mem_free_list(m->command);
	mem_free_list(m->may);
	mem_free_list(m->created_by);
	free(m->cwd);
	for (size_t i = 0; i < m->n_labels; i++) {
		free(m->labels[i].key);
		free(m->labels[i].value);
	}
	free(m->labels);
	free(m->post_mortem);
	free(m->degraded);
	free(m->cgroup);
	free(m->unenforced);
	free(m->gave_up);
	free(m->said.text);
	manifest_init(m);
}

static char **
copy_list(char *const *from)
{
	char **to;
	size_t n = 0;

	if (from == NULL)
		return NULL;
	while (from[n] != NULL)
		n++;
	to = xcalloc(n + 1, sizeof(*to));
	for (size_t i = 0; i < n; i++)
		to[i] = xstrdup(from[i]);
	return to;
}

void
manifest_set_list(char ***list, const char *const *from, size_t n)
{
	char **new = n > 0 ? xcalloc(n + 1, sizeof(*new)) : NULL;

	for (size_t i = 0; i < n; i++)
		new[i] = xstrdup(from[i]);
	mem_free_list(*list);
	*list = new;
}

void
manifest_copy_plan(struct manifest *to, const struct manifest *from)
{
	manifest_init(to);
	memcpy(to->name, from->name, sizeof(to->name));
	to->command = copy_list(from->command);
	to->cwd = xstrdup(from->cwd);
	for (size_t i = 0; i < from->n_labels; i++)
		manifest_set_label(to, from->labels[i].key,
		    from->labels[i].value, NULL);
	to->cols = from->cols;
	to->rows = from->rows;
	to->input = from->input;
	to->size = from->size;
	to->log_input = from->log_input;
	to->durable = from->durable;
	to->forget_env = from->forget_env;
	to->no_integration = from->no_integration;
	to->max_log = from->max_log;
	to->idle_timeout_s = from->idle_timeout_s;
	to->linger_ms = from->linger_ms;
	to->scrollback = from->scrollback;
	to->restart = from->restart;
	to->memory_max = from->memory_max;
	to->pids_max = from->pids_max;
	to->cpu_weight = from->cpu_weight;
	to->confined = from->confined;
	to->may = copy_list(from->may);
}

/*
 * Printable UTF-8 without `=`, which separates key and value on command lines.
 */
int
manifest_check_label(const char *key, const char *value, struct error *err)
{
	size_t key_len = strlen(key), value_len = strlen(value);

	if (key_len == 0 || key_len > LABEL_KEY_MAX)
		return error_set(err, EINVAL, "a label's key has 1 to %d bytes",
		    LABEL_KEY_MAX);
	if (value_len > LABEL_VALUE_MAX)
		return error_set(err, EINVAL,
		    "the value of label %s is longer than %d bytes", key,
		    LABEL_VALUE_MAX);
	for (const char *s = key; *s != '\0'; s++)
		if ((unsigned char)*s <= ' ' || *s == '=' || *s == 0x7f)
			return error_set(err, EINVAL,
			    "a label's key must not contain blanks or =");
	if (!utf8_valid(key, key_len) || !utf8_valid(value, value_len))
		return error_set(err, EINVAL, "a label must be UTF-8");
	return 0;
}

static struct label *
find_label(const struct manifest *m, const char *key)
{
	for (size_t i = 0; i < m->n_labels; i++)
		if (strcmp(m->labels[i].key, key) == 0)
			return &m->labels[i];
	return NULL;
}

const char *
manifest_label(const struct manifest *m, const char *key)
{
	const struct label *l = find_label(m, key);

	return l != NULL ? l->value : NULL;
}

static void
remove_label(struct manifest *m, struct label *l)
{
	struct label *end = m->labels + m->n_labels;

	free(l->key);
	free(l->value);
	memmove(l, l + 1, (size_t)(end - l - 1) * sizeof(*l));
	m->n_labels--;
}

int
manifest_set_label(struct manifest *m, const char *key, const char *value,
    struct error *err)
{
	struct label *l = find_label(m, key);
	int rc = manifest_check_label(key, value != NULL ? value : "", err);

	if (rc < 0)
		return rc;
	if (value == NULL) {
		if (l != NULL)
			remove_label(m, l);
		return 0;
	}
	if (l != NULL) {
		free(l->value);
		l->value = xstrdup(value);
		return 0;
	}
	if (m->n_labels == MANIFEST_LABELS_MAX)
		return error_set(err, E2BIG, "a session has at most %d labels",
		    MANIFEST_LABELS_MAX);
	m->labels = xrealloc(m->labels, m->n_labels + 1, sizeof(*l));
	m->labels[m->n_labels++] = (struct label){ xstrdup(key),
		xstrdup(value) };
	return 0;
}

/*
 * Arguments and paths are bytes, but JSON is text.  Strings that are not UTF-8
 * are written as {"hex":"…"}, so that they are read back unchanged.
 */
static void
write_bytes(const char *s, struct json_out *j)
{
	struct buf hex;

	if (utf8_valid(s, strlen(s))) {
		json_out_text(j, s);
		return;
	}
	buf_init(&hex, 2 * MANIFEST_MAX);
	for (; *s != '\0'; s++)
		buf_printf(&hex, "%02x", (unsigned char)*s);
	json_out_open(j, '{');
	json_put_string(j, "hex", (char *)hex.data, hex.len);
	json_out_close(j, '}');
	buf_finish(&hex);
}

/* NULL if it is not hex, contains a NUL, or could have been text. */
static char *
read_hex(const char *hex)
{
	size_t len = strlen(hex) / 2;
	char *s = xcalloc(len + 1, 1);

	for (size_t i = 0; i < len; i++) {
		int byte = hex_byte(hex + 2 * i);

		s[i] = byte < 0 ? '\0' : (char)byte;
	}
	if (strlen(hex) != 2 * strlen(s) || utf8_valid(s, len)) {
		free(s);
		return NULL;
	}
	return s;
}

static int
read_bytes(const json_t *v, const char *what, char **out, struct error *err)
{
	const char *hex = json_string_value(json_object_get(v, "hex"));
	char *s = NULL;

	if (json_is_string(v))
		s = xstrdup(json_string_value(v));
	else if (hex != NULL)
		s = read_hex(hex);
	if (s == NULL)
		return error_set(err, EINVAL,
		    "%s must be a string, or bytes in hex", what);
	*out = s;
	return 0;
}

static int
read_command(const json_t *v, struct manifest *m, struct error *err)
{
	size_t n = json_array_size(v);

	if (n == 0)
		return error_set(err, EINVAL,
		    "command must be an array that is not empty");
	m->command = xcalloc(n + 1, sizeof(*m->command));
	for (size_t i = 0; i < n; i++) {
		int rc = read_bytes(json_array_get(v, i), "command",
		    &m->command[i], err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
read_labels(json_t *v, struct manifest *m, struct error *err)
{
	const char *key;
	json_t *value;

	if (v != NULL && !json_is_object(v))
		return error_set(err, EINVAL, "labels must be an object");
	json_object_foreach(v, key, value)
	{
		int rc;

		if (!json_is_string(value))
			return error_set(err, EINVAL, "labels must be strings");
		rc = manifest_set_label(m, key, json_string_value(value), err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static bool
is_grant(const char *text)
{
	struct grant g;

	return grant_parse(text, &g, NULL) == 0;
}

/* Read an optional list of strings; each must pass the check. */
static int
read_list(const json_t *object, const char *key, size_t max,
    bool (*is_fine)(const char *), char ***out, struct error *err)
{
	const json_t *v = json_object_get(object, key);
	size_t n = json_array_size(v);

	if (v != NULL && (!json_is_array(v) || n > max))
		return error_set(err, EINVAL,
		    "%s must be an array of at most %zu strings", key, max);
	*out = n > 0 ? xcalloc(n + 1, sizeof(**out)) : NULL;
	for (size_t i = 0; i < n; i++) {
		const char *s = json_string_value(json_array_get(v, i));

		if (s == NULL || !is_fine(s))
			return error_set(err, EINVAL, "%s has an invalid entry",
			    key);
		(*out)[i] = xstrdup(s);
	}
	return 0;
}

static void
write_list(const char *key, char *const *list, struct json_out *j)
{
	json_put_open(j, key, '[');
	for (; list != NULL && *list != NULL; list++)
		json_out_text(j, *list);
	json_out_close(j, ']');
}

static int
check_version(const json_t *object, struct error *err)
{
	const json_t *version = json_object_get(object, "version");

	if (!json_is_integer(version) || json_integer_value(version) < 1)
		return error_set(err, EINVAL, "version must be a number");
	if (json_integer_value(version) > FILE_VERSION)
		return error_set(err, EPROTO, "it was written by a newer tend");
	return 0;
}

static int
read_object(const json_t *object, struct manifest *m, struct error *err)
{
	int rc;

	if ((rc = check_version(object, err)) < 0 ||
	    (rc = json_fields_read(fields, object, m, err)) < 0 ||
	    (rc = read_command(json_object_get(object, "command"), m, err)) <
		0 ||
	    (rc = read_bytes(json_object_get(object, "cwd"), "cwd", &m->cwd,
		 err)) < 0 ||
	    (rc = read_labels(json_object_get(object, "labels"), m, err)) < 0 ||
	    (rc = read_list(object, "may", GRANTS_MAX, is_grant, &m->may,
		 err)) < 0 ||
	    (rc = read_list(object, "created_by", MANIFEST_CREATORS_MAX,
		 id_is_valid, &m->created_by, err)) < 0)
		return rc;
	if (!json_is_string(json_object_get(object, "status")))
		return error_set(err, EINVAL, "status is missing");
	if (!id_is_valid(m->id))
		return error_set(err, EINVAL, "id is not a ULID");
	return m->name[0] != '\0' ? name_check(m->name, err) : 0;
}

/*
 * The last member is the checksum of all bytes before it.  A file without it
 * was written by an older tend or edited.
 */
#define CRC_FORM ",\"crc\":\"%08" PRIx32 "\"}\n"
#define CRC_LEN (sizeof(",\"crc\":\"01234567\"}\n") - 1)

static int
end_checked(struct buf *b, size_t begin)
{
	return buf_printf(b, CRC_FORM,
	    crc32c(0, b->data + begin, b->len - begin));
}

/* True if the file ends with a checksum that is wrong. */
static bool
is_suspect(const char *p, size_t len)
{
	char want[CRC_LEN + 1], zeros[CRC_LEN + 1];
	const size_t digits = sizeof(",\"crc\":\"") - 1;

	if (len < CRC_LEN)
		return false;
	len -= CRC_LEN;
	snprintf(want, sizeof(want), CRC_FORM, crc32c(0, p, len));
	snprintf(zeros, sizeof(zeros), CRC_FORM, (uint32_t)0);
	return memcmp(p + len, zeros, digits) == 0 &&
	    memcmp(p + len, want, CRC_LEN) != 0;
}

int
manifest_parse(const char *p, size_t len, struct manifest *m, struct error *err)
{
	auto_json json_t *object = NULL;
	struct manifest new;
	int rc;

	manifest_init(m);
	if (len > MANIFEST_MAX)
		return error_set(err, EFBIG, "it is longer than %u bytes",
		    MANIFEST_MAX);
	object = json_tree_object(p, len, err);
	if (object == NULL)
		return -EINVAL;
	manifest_init(&new);
	rc = read_object(object, &new, err);
	if (rc < 0) {
		manifest_finish(&new);
		/*
		 * A newer version number counts only if the checksum is right.
		 */
		return rc == -EPROTO && is_suspect(p, len) ?
		    error_set(err, EINVAL, "its checksum is wrong") :
		    rc;
	}
	*m = new;
	m->suspect = is_suspect(p, len);
	return 0;
}

void
labels_write(const struct manifest *m, struct json_out *j)
{
	json_put_open(j, "labels", '{');
	for (size_t i = 0; i < m->n_labels; i++) {
		json_put_text(j, m->labels[i].key, m->labels[i].value);
	}
	json_out_close(j, '}');
}

int
manifest_format(const struct manifest *m, struct buf *out)
{
	size_t begin = out->len;
	struct json_out j;

	json_out_init(&j, out);
	json_out_open(&j, '{');
	json_put_number(&j, "version", FILE_VERSION);
	json_fields_write(fields, m, NULL, &j);
	json_put_open(&j, "command", '[');
	for (char **s = m->command; s != NULL && *s != NULL; s++)
		write_bytes(*s, &j);
	json_out_close(&j, ']');
	json_out_key(&j, "cwd");
	write_bytes(m->cwd != NULL ? m->cwd : "/", &j);
	write_list("may", m->may, &j);
	write_list("created_by", m->created_by, &j);
	labels_write(m, &j);
	return end_checked(out, begin);
}
