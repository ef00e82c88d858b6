#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include <jansson.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "home/log_sink.h"
#include "home/words.h"
#include "log/by.h"
#include "log/payload.h"
#include "log/reader.h"

struct events {
	struct log_sink sink;
	bool no_output;
	bool has_clock;
	int64_t wall_ns; /* wall-clock time… */
	uint64_t at_ns;  /* …at this time of the log */
};

static void
put_text(struct json_out *j, const char *key, const struct payload_text *t)
{
	if (strcmp(key, "by") == 0)
		by_put((const char *)t->p, t->len, j);
	else
		json_put_string(j, key, (const char *)t->p, t->len);
}

/* Bytes as text if they are valid UTF-8, otherwise encoded without loss. */
static void
put_bytes(struct json_out *j, const uint8_t *p, size_t len)
{
	if (utf8_valid(p, len)) {
		json_put_string(j, "data", (const char *)p, len);
		return;
	}
	json_out_key(j, "data_base64");
	buf_putc(j->buf, '"');
	base64_encode(j->buf, p, len);
	buf_putc(j->buf, '"');
	j->comma = true;
}

/*
 * The members of an event.  These are generated from records.def and show every
 * field by name.
 */
#define RECORD(number, title, name, NAME, flags, summary) \
	static void plain_##name(struct json_out *j, const void *p, \
	    size_t len) \
	{ \
		struct payload_##name x; \
		payload_##name##_decode(&x, p, len);
#define U8(name, field) json_put_number(j, #field, x.field);
#define U16(name, field) json_put_number(j, #field, x.field);
#define U32(name, field) json_put_number(j, #field, x.field);
#define U64(name, field) json_put_number(j, #field, x.field);
#define MAYBE8(name, field) json_put_number(j, #field, x.field);
#define FLAGS(name, field) json_put_number(j, #field, x.field);
#define TEXT(name, field) put_text(j, #field, &x.field);
#define FLAGGED(name, field, flag) \
	if (x.field.len > 0) \
		put_text(j, #field, &x.field);
#define REST(name, field) put_text(j, #field, &x.field);
#define END(name) }
#include "log/records.def"

typedef void members_fn(struct json_out *j, const void *p, size_t len);

static members_fn *const plain[] = {
#define RECORD(number, title, name, NAME, flags, summary) \
	[RECORD_##NAME] = plain_##name,
#include "log/records.def"
};

/* These have more readable values: names instead of numbers, dates. */

static void
put_input(struct json_out *j, const void *p, size_t len)
{
	struct payload_input in;

	payload_input_decode(&in, p, len);
	json_put_text(j, "kind", payload_input_kind(in.kind));
	put_text(j, "by", &in.by);
	if (in.key.len > 0)
		put_text(j, "key", &in.key);
	json_put_number(j, "bytes", in.count);
	json_put_bool(j, "withheld", in.flags & PAYLOAD_WITHHELD);
	if (!(in.flags & PAYLOAD_WITHHELD))
		put_bytes(j, in.bytes.p, in.bytes.len);
}

static void
put_signal(struct json_out *j, const void *p, size_t len)
{
	struct payload_signal signal;
	char name[32];

	payload_signal_decode(&signal, p, len);
	words_signal((int)signal.number, name, sizeof(name));
	json_put_text(j, "signal", name);
	json_put_number(j, "number", signal.number);
	put_text(j, "by", &signal.by);
	put_text(j, "for", &signal.purpose);
}

static void
put_keyframe(struct json_out *j, const void *p, size_t len)
{
	struct payload_keyframe k;

	payload_keyframe_decode(&k, p, len);
	json_put_number(j, "offset", k.offset);
	json_put_number(j, "cols", k.cols);
	json_put_number(j, "rows", k.rows);
	json_put_number(j, "engine", k.engine);
	json_put_number(j, "bytes", k.bytes.len);
}

static void
put_clock(struct json_out *j, const void *p, size_t len)
{
	struct payload_clock clock;
	char text[WORDS_TIME_MAX];

	payload_clock_decode(&clock, p, len);
	words_time((int64_t)clock.wall_ns / 1000000, text);
	json_put_text(j, "wall", text);
	json_put_text(j, "why", payload_clock_why(clock.why));
}

static void
put_gap(struct json_out *j, const void *p, size_t len)
{
	struct payload_gap gap;

	payload_gap_decode(&gap, p, len);
	json_put_number(j, "offset", gap.offset);
	json_put_number(j, "bytes", gap.bytes);
	json_put_text(j, "why", payload_gap_why(gap.why));
}

static void
put_exit(struct json_out *j, const void *p, size_t len)
{
	struct payload_exit e;
	int status;

	payload_exit_decode(&e, p, len);
	status = (int)e.status;
	json_put_maybe(j, "exit_code", WIFEXITED(status), WEXITSTATUS(status));
	json_put_maybe(j, "exit_signal", WIFSIGNALED(status), WTERMSIG(status));
	json_put_number(j, "offset", e.offset);
	json_put_text(j, "outcome", payload_exit_outcome(e.outcome));
}

static members_fn *const special[] = {
	[RECORD_INPUT] = put_input,
	[RECORD_SIGNAL] = put_signal,
	[RECORD_KEYFRAME] = put_keyframe,
	[RECORD_CLOCK] = put_clock,
	[RECORD_GAP] = put_gap,
	[RECORD_EXIT] = put_exit,
};

/* A JSON payload; as text if it is not valid JSON. */
static void
put_json(struct json_out *j, const void *p, size_t len)
{
	json_t *tree = json_loadb(p, len, 0, NULL);
	char *text = NULL;

	if (json_is_object(tree))
		text = json_dumps(tree, JSON_COMPACT);
	if (text != NULL) {
		json_out_key(j, "data");
		json_out_json(j, text);
	} else {
		json_put_string(j, "data", p, len);
	}
	free(text);
	json_decref(tree);
}

#define ROW(table, type) \
	((type) < sizeof(table) / sizeof(*(table)) ? (table)[type] : NULL)

static void
put_members(struct json_out *j, unsigned type, const void *p, size_t len)
{
	members_fn *put = ROW(special, type);

	if (put == NULL)
		put = ROW(plain, type);
	if (put == NULL && record_is_json(type))
		put = put_json;
	if (put != NULL)
		put(j, p, len);
	else
		json_put_number(j, "bytes", len);
}

/* The common members of every line. */
static void
begin(struct events *e, const struct record *rec, struct json_out *j)
{
	const char *name = record_name(rec->type);
	char text[WORDS_TIME_MAX];

	json_out_init(j, e->sink.out);
	json_out_open(j, '{');
	json_put_number(j, "seq", rec->seq);
	json_out_key(j, "time");
	buf_printf(j->buf, "%" PRIu64 ".%09" PRIu64, rec->time_ns / 1000000000,
	    rec->time_ns % 1000000000);
	j->comma = true;
	if (e->has_clock) {
		words_time((e->wall_ns + (int64_t)(rec->time_ns - e->at_ns)) /
			1000000,
		    text);
		json_put_text(j, "at", text);
	}
	if (name != NULL)
		json_put_text(j, "type", name);
	else
		json_put_number(j, "type", rec->type);
}

static void
end_line(struct json_out *j)
{
	json_out_close(j, '}');
	buf_putc(j->buf, '\n');
}

static void
on_output(struct log_sink *s, const struct record *rec, uint64_t offset,
    const uint8_t *p, size_t len, bool wanted)
{
	struct events *e = (struct events *)s;
	struct json_out j;

	if (!wanted || e->no_output)
		return;
	begin(e, rec, &j);
	json_put_number(&j, "offset", offset);
	json_put_number(&j, "bytes", len);
	json_put_bool(&j, "frame", rec->flags & RECORD_FRAME);
	if (rec->flags & RECORD_HIDDEN)
		json_put_bool(&j, "hidden", true);
	else
		put_bytes(&j, p, len);
	end_line(&j);
}

static void
put_event(struct events *e, const struct record *rec)
{
	struct json_out j;

	begin(e, rec, &j);
	if (rec->type == RECORD_KEYFRAME)
		json_put_bool(&j, "full", rec->flags & RECORD_FULL);
	put_members(&j, rec->type, rec->payload, rec->len);
	end_line(&j);
}

/* The reader has joined an event of several records. */
static void
on_event(struct log_sink *s, const struct record *rec, bool wanted)
{
	struct events *e = (struct events *)s;
	struct payload_clock clock;

	if (payload_clock_of(&clock, rec)) {
		e->has_clock = true;
		e->wall_ns = (int64_t)clock.wall_ns;
		e->at_ns = rec->time_ns;
	}
	if (e->no_output &&
	    (rec->type == RECORD_KEYFRAME || rec->type == RECORD_CLOCK))
		return;
	if (wanted)
		put_event(e, rec);
}

static void
on_damage(struct log_sink *s, const struct log_damage *d)
{
	struct json_out j;

	json_out_init(&j, s->out);
	json_out_open(&j, '{');
	json_put_text(&j, "type", d->trimmed ? "missing" : "damaged");
	json_put_number(&j, "seq_from", d->seq_from);
	json_put_number(&j, "seq_to", d->seq_to);
	json_put_number(&j, "offset_from", d->offset_from);
	json_put_number(&j, "offset_to", d->offset_to);
	json_put_bool(&j, "torn", d->torn);
	json_put_bool(&j, "trimmed", d->trimmed);
	end_line(&j);
}

static void
destroy(struct log_sink *s)
{
	free(s);
}

struct log_sink *
log_events_create(struct buf *out, bool no_output)
{
	static const struct log_sink_ops ops = {
		.output = on_output,
		.event = on_event,
		.damage = on_damage,
		.destroy = destroy,
	};
	struct events *e = xcalloc(1, sizeof(*e));

	e->sink = (struct log_sink){ &ops, out };
	e->no_output = no_output;
	return &e->sink;
}
