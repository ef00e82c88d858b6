#include "wire/hello.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/json_field.h"
#include "base/json_out.h"
#include "base/json_tree.h"
#include "wire/frame.h"

#define HISTORY_DEFAULT (1u << 20)
#define FLOW_MS_DEFAULT 1000
#define FLOW_MS_MAX 10000

static const char *const feature_names[] = { "offset", "keyframe", "events",
	"handover", "parallel" };
static const char *const mode_names[] = { "control", "attach" };
static const char *const access_names[] = { "readwrite", "readonly" };
static const char *const replay_names[] = { "screen", "raw", "none" };
static const char *const behind_names[] = { "screen", "lossless" };
static const char *const flow_names[] = { NULL, "block" };

/* Fields of every hello, and fields sent only if they differ from the default. */
static const struct json_field said_fields[] = {
	JSON_FIELD(struct hello, version, "tend", UINT, UINT32_MAX),
	JSON_FIELD(struct hello, client, "client", CUT, 0),
	JSON_FIELD_NAMES(struct hello, mode, "mode", mode_names),
	{ 0 },
};
static const struct json_field fields[] = {
	JSON_FIELD(struct hello, engine, "engine", UINT, UINT32_MAX),
	JSON_FIELD_NAMES(struct hello, readonly, "access", access_names),
	JSON_FIELD_NAMES(struct hello, replay, "replay", replay_names),
	JSON_FIELD(struct hello, history, "history", UINT, UINT32_MAX),
	JSON_FIELD(struct hello, cols, "cols", UINT, UINT16_MAX),
	JSON_FIELD(struct hello, rows, "rows", UINT, UINT16_MAX),
	JSON_FIELD_NAMES(struct hello, behind, "behind", behind_names),
	JSON_FIELD_NAMES(struct hello, flow_block, "flow", flow_names),
	JSON_FIELD(struct hello, flow_ms, "flow_ms", UINT, FLOW_MS_MAX),
	JSON_FIELD(struct hello, steal, "steal", BOOL, 0),
	JSON_FIELD(struct hello, who, "who", UINT, INT64_MAX),
	JSON_FIELD(struct hello, hidden, "visible", NOT, 0),
	JSON_FIELD(struct hello, principal, "principal", TEXT, 0),
	JSON_FIELD(struct hello, verified, "verified", TEXT, 0),
	{ 0 },
};
static const struct json_field from_field[] = {
	JSON_FIELD(struct hello, from, "from", UINT, INT64_MAX),
	{ 0 },
};

static const struct json_field welcome_fields[] = {
	JSON_FIELD(struct welcome, version, "tend", UINT, UINT32_MAX),
	JSON_FIELD(struct welcome, host, "host", CUT, 0),
	JSON_FIELD(struct welcome, id, "id", TEXT, 0),
	JSON_FIELD(struct welcome, name, "name", TEXT, 0),
	JSON_FIELD_NAMES(struct welcome, readonly, "granted", access_names),
	{ 0 },
};
static const struct json_field ok_field[] = {
	JSON_FIELD(struct welcome, ok, "ok", BOOL, 0),
	{ 0 },
};
static const struct json_field refusal_fields[] = {
	JSON_FIELD(struct welcome, code, "code", TEXT, 0),
	JSON_FIELD(struct welcome, message, "message", CUT, 0),
	JSON_FIELD(struct welcome, retryable, "retryable", BOOL, 0),
	{ 0 },
};

#define N_FEATURES (sizeof(feature_names) / sizeof(feature_names[0]))

static unsigned
feature_find(const char *name)
{
	for (unsigned i = 0; i < N_FEATURES; i++)
		if (strcmp(name, feature_names[i]) == 0)
			return 1u << i;
	return 0;
}

static int
read_features(const json_t *object, unsigned *features, struct error *err)
{
	const json_t *list = json_object_get(object, "features"), *one;
	unsigned found = 0;
	size_t i;

	if (list != NULL && !json_is_array(list))
		return error_set(err, EINVAL, "features must be an array");
	json_array_foreach(list, i, one)
	{
		if (!json_is_string(one))
			return error_set(err, EINVAL,
			    "features must be strings");
		found |= feature_find(json_string_value(one));
	}
	*features = found;
	return 0;
}

static void
write_features(unsigned features, struct json_out *j)
{
	json_put_open(j, "features", '[');
	for (unsigned i = 0; i < N_FEATURES; i++)
		if (features & 1u << i)
			json_out_text(j, feature_names[i]);
	json_out_close(j, ']');
}

static int
read_colour(const json_t *object, const char *key, uint32_t *out,
    struct error *err)
{
	const char *s = json_string_value(json_object_get(object, key));

	if (s == NULL || !hex_colour(s, out))
		return error_set(err, EINVAL, "colours.%s must be rrggbb", key);
	return 0;
}

static int
read_colours(const json_t *object, struct hello *h, struct error *err)
{
	const json_t *colours = json_object_get(object, "colours");

	if (colours == NULL || json_is_null(colours))
		return 0;
	if (!json_is_object(colours))
		return error_set(err, EINVAL, "colours must be an object");
	h->has_colours = true;
	return read_colour(colours, "fg", &h->fg, err) < 0 ||
		read_colour(colours, "bg", &h->bg, err) < 0 ?
	    -EINVAL :
	    0;
}

static void
write_colour(const char *key, uint32_t colour, struct json_out *j)
{
	char s[9];

	snprintf(s, sizeof(s), "%06x", (unsigned)(colour & 0xffffff));
	json_put_text(j, key, s);
}

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* KIND:NAME; nothing in it can be taken for a part of a longer text. */
bool
hello_is_principal(const char *s)
{
	size_t kind = strspn(s, LOWER);

	return kind > 0 && s[kind] == ':' && s[kind + 1] != '\0' &&
	    s[strspn(s, LOWER UPPER DIGITS ":._-+@/")] == '\0';
}

static int
check_principal(const struct hello *h, struct error *err)
{
	if (h->principal[0] != '\0' && !hello_is_principal(h->principal))
		return error_set(err, EINVAL,
		    "principal must be KIND:NAME, as in user:ann, of letters, "
		    "digits and . _ - + @ : /");
	if (h->verified[strspn(h->verified, LOWER DIGITS "-")] != '\0')
		return error_set(err, EINVAL,
		    "verified must be a word of small letters, digits and -");
	if (h->verified[0] != '\0' && h->principal[0] == '\0')
		return error_set(err, EINVAL,
		    "verified goes together with principal");
	return 0;
}

/* Errors that involve several fields. */
static int
check(const struct hello *h, struct error *err)
{
	if (h->version == 0)
		return error_set(err, EINVAL,
		    "tend must be the protocol's version");
	if ((h->cols == 0) != (h->rows == 0))
		return error_set(err, EINVAL, "cols and rows go together");
	return check_principal(h, err);
}

/* A line as an object; it may end in a newline, and be so long. */
static json_t *
read_line(const char *p, size_t len, struct error *err)
{
	if (len > FRAME_LINE_MAX) {
		error_set(err, EINVAL, "the first line is longer than %u bytes",
		    FRAME_LINE_MAX);
		return NULL;
	}
	return json_tree_object(p, len, err);
}

void
hello_init(struct hello *h)
{
	*h = (struct hello){ .version = HELLO_VERSION,
		.history = HISTORY_DEFAULT,
		.flow_ms = FLOW_MS_DEFAULT };
}

int
hello_read(struct hello *h, const char *p, size_t len, struct error *err)
{
	auto_json json_t *object = read_line(p, len, err);
	struct hello new;

	if (object == NULL)
		return -EINVAL;
	hello_init(&new);
	new.version = 0;
	if (json_fields_read(said_fields, object, &new, err) < 0 ||
	    json_fields_read(fields, object, &new, err) < 0 ||
	    json_fields_read(from_field, object, &new, err) < 0 ||
	    read_features(object, &new.features, err) < 0 ||
	    read_colours(object, &new, err) < 0 || check(&new, err) < 0)
		return -EINVAL;
	new.has_from = json_is_integer(json_object_get(object, "from"));
	*h = new;
	return 0;
}

int
hello_write(const struct hello *h, struct buf *out)
{
	struct hello defaults;
	struct json_out j;

	hello_init(&defaults);
	json_out_init(&j, out);
	json_out_open(&j, '{');
	json_fields_write(said_fields, h, NULL, &j);
	write_features(h->features, &j);
	json_fields_write(fields, h, &defaults, &j);
	if (h->has_from)
		json_fields_write(from_field, h, NULL, &j);
	if (h->has_colours) {
		json_put_open(&j, "colours", '{');
		write_colour("fg", h->fg, &j);
		write_colour("bg", h->bg, &j);
		json_out_close(&j, '}');
	}
	json_out_close(&j, '}');
	return buf_putc(out, '\n');
}

static int
read_refusal(const json_t *object, struct welcome *w, struct error *err)
{
	const json_t *why = json_object_get(object, "error");

	if (!json_is_object(why))
		return error_set(err, EINVAL, "error must be an object");
	if (json_fields_read(refusal_fields, why, w, err) < 0)
		return -EINVAL;
	if (w->code[0] == '\0')
		return error_set(err, EINVAL, "error.code is missing");
	return 0;
}

static int
read_acceptance(const json_t *object, struct welcome *w, struct error *err)
{
	if (json_fields_read(welcome_fields, object, w, err) < 0 ||
	    read_features(object, &w->features, err) < 0)
		return -EINVAL;
	if (w->version == 0)
		return error_set(err, EINVAL,
		    "tend must be the protocol's version");
	return 0;
}

int
welcome_read(struct welcome *w, const char *p, size_t len, struct error *err)
{
	auto_json json_t *object = read_line(p, len, err);
	struct welcome new = { 0 };
	int rc;

	if (object == NULL)
		return -EINVAL;
	if (!json_is_boolean(json_object_get(object, "ok")))
		return error_set(err, EINVAL, "ok must be true or false");
	new.ok = json_is_true(json_object_get(object, "ok"));
	rc = new.ok ? read_acceptance(object, &new, err) :
		      read_refusal(object, &new, err);
	if (rc == 0)
		*w = new;
	return rc;
}

int
welcome_write(const struct welcome *w, struct buf *out)
{
	struct json_out j;

	json_out_init(&j, out);
	json_out_open(&j, '{');
	json_fields_write(ok_field, w, NULL, &j);
	if (w->ok) {
		json_fields_write(welcome_fields, w, NULL, &j);
		write_features(w->features, &j);
	} else {
		json_put_open(&j, "error", '{');
		json_fields_write(refusal_fields, w, NULL, &j);
		json_put_open(&j, "details", '{');
		json_out_close(&j, '}');
		json_out_close(&j, '}');
	}
	json_out_close(&j, '}');
	return buf_putc(out, '\n');
}
