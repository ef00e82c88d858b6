#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include <jansson.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "home/log_sink.h"
#include "home/words.h"
#include "log/reader.h"

#define EVENT_MAX (16u << 20) /* of an event in several records */

struct events {
	struct log_sink sink;
	struct buf parts; /* of an event whose records go on */
	bool has_clock;
	int64_t wall_ns; /* what the clock showed… */
	uint64_t at_ns;  /* …then */
};

/* A payload being read; beyond its end are zeros. */
struct payload {
	const uint8_t *p;
	size_t left;
};

static const uint8_t *
take(struct payload *d, size_t n)
{
	static const uint8_t zeros[8];
	const uint8_t *p = d->p;

	if (n > d->left) {
		d->left = 0;
		return zeros;
	}
	d->p += n;
	d->left -= n;
	return p;
}

static uint64_t
take_u64(struct payload *d)
{
	return get_u64le(take(d, 8));
}

static uint32_t
take_u32(struct payload *d)
{
	return get_u32le(take(d, 4));
}

static uint16_t
take_u16(struct payload *d)
{
	return get_u16le(take(d, 2));
}

static uint8_t
take_u8(struct payload *d)
{
	return *take(d, 1);
}

/* One of the names that a number stands for. */
static void
put_named(struct json_out *j, const char *key, const char *const *names,
    size_t n, unsigned i)
{
	json_put_text(j, key, i < n && names[i] != NULL ? names[i] : "unknown");
}

#define PUT_NAMED(j, key, names, i) \
	put_named(j, key, names, sizeof(names) / sizeof(*(names)), i)

/* The rest of the payload as text; "by" is such a text with its length. */
static void
put_rest(struct json_out *j, const char *key, const struct payload *d)
{
	json_put_string(j, key, (const char *)d->p, d->left);
}

static void
put_by(struct json_out *j, struct payload *d)
{
	size_t len = take_u8(d);
	const uint8_t *p = d->p;

	if (len > d->left)
		len = d->left;
	take(d, len);
	json_put_string(j, "by", (const char *)p, len);
}

/* Bytes as text if they are, so that nothing of them is lost. */
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

/* What the event is made of, by its type. */

static void
put_input(struct json_out *j, struct payload *d)
{
	static const char *const kinds[] = { NULL, "text", "key", "paste",
		"bytes", "mouse", "focus" };
	unsigned kind = take_u8(d), flags = take_u8(d);

	PUT_NAMED(j, "kind", kinds, kind);
	put_by(j, d);
	json_put_number(j, "bytes", take_u32(d));
	json_put_bool(j, "withheld", flags & 1);
	if (!(flags & 1))
		put_bytes(j, d->p, d->left);
}

static void
put_resize(struct json_out *j, struct payload *d)
{
	json_put_number(j, "cols", take_u16(d));
	json_put_number(j, "rows", take_u16(d));
	put_by(j, d);
}

static void
put_signal(struct json_out *j, struct payload *d)
{
	uint32_t number = take_u32(d);
	char name[32];

	words_signal((int)number, name, sizeof(name));
	json_put_text(j, "signal", name);
	json_put_number(j, "number", number);
	put_by(j, d);
	put_rest(j, "for", d);
}

static void
put_mark(struct json_out *j, struct payload *d)
{
	put_by(j, d);
	put_rest(j, "name", d);
}

/* A payload that is JSON itself; as text when it is none after all. */
static void
put_json(struct json_out *j, struct payload *d)
{
	json_t *tree = json_loadb((const char *)d->p, d->left, 0, NULL);
	char *text = NULL;

	if (json_is_object(tree))
		text = json_dumps(tree, JSON_COMPACT);
	if (text != NULL) {
		json_out_key(j, "data");
		json_out_json(j, text);
	} else {
		put_rest(j, "data", d);
	}
	free(text);
	json_decref(tree);
}

static void
put_keyframe(struct json_out *j, struct payload *d)
{
	json_put_number(j, "offset", take_u64(d));
	json_put_number(j, "cols", take_u16(d));
	json_put_number(j, "rows", take_u16(d));
	json_put_number(j, "engine", take_u32(d));
	json_put_number(j, "bytes", d->left);
}

static void
put_clock(struct json_out *j, struct payload *d)
{
	static const char *const whys[] = { "segment", "minute", "set" };
	int64_t ns = (int64_t)take_u64(d);
	char text[WORDS_TIME_MAX];

	words_time(ns / 1000000, text);
	json_put_text(j, "wall", text);
	PUT_NAMED(j, "why", whys, take_u8(d));
}

static void
put_gap(struct json_out *j, struct payload *d)
{
	static const char *const whys[] = { NULL, "disk", "host died" };

	json_put_number(j, "offset", take_u64(d));
	json_put_number(j, "bytes", take_u64(d));
	PUT_NAMED(j, "why", whys, take_u8(d));
}

static void
put_engine_gap(struct json_out *j, struct payload *d)
{
	json_put_number(j, "from", take_u64(d));
	json_put_number(j, "to", take_u64(d));
}

static void
put_recovered(struct json_out *j, struct payload *d)
{
	json_put_number(j, "bytes", take_u64(d));
}

static void
put_exit(struct json_out *j, struct payload *d)
{
	static const char *const outcomes[] = { "exited", "stopped", "killed",
		"failed", "lost" };
	int status = (int)take_u32(d);

	json_put_maybe(j, "exit_code", WIFEXITED(status), WEXITSTATUS(status));
	json_put_maybe(j, "exit_signal", WIFSIGNALED(status), WTERMSIG(status));
	json_put_number(j, "offset", take_u64(d));
	PUT_NAMED(j, "outcome", outcomes, take_u8(d));
}

static void
put_trimmed(struct json_out *j, struct payload *d)
{
	json_put_number(j, "first_seq", take_u64(d));
	json_put_number(j, "first_offset", take_u64(d));
}

static void (*const decoders[])(struct json_out *j, struct payload *d) = {
	[RECORD_INPUT] = put_input,
	[RECORD_RESIZE] = put_resize,
	[RECORD_SIGNAL] = put_signal,
	[RECORD_RUN] = put_json,
	[RECORD_RUN_END] = put_json,
	[RECORD_MARK] = put_mark,
	[RECORD_REQUEST] = put_json,
	[RECORD_ANSWER] = put_json,
	[RECORD_AGENT] = put_json,
	[RECORD_KEYFRAME] = put_keyframe,
	[RECORD_CLOCK] = put_clock,
	[RECORD_GAP] = put_gap,
	[RECORD_ENGINE_GAP] = put_engine_gap,
	[RECORD_RECOVERED] = put_recovered,
	[RECORD_EXIT] = put_exit,
	[RECORD_START] = put_json,
	[RECORD_META] = put_json,
	[RECORD_TRIMMED] = put_trimmed,
	[RECORD_TROUBLE] = put_json,
	[RECORD_OOM] = put_json,
	[RECORD_RESTART] = put_json,
	[RECORD_PROGRAM_STATUS] = put_json,
};

/* Every line begins with these. */
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

	if (!wanted)
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
put_event(struct events *e, const struct record *rec, struct payload d)
{
	size_t n = sizeof(decoders) / sizeof(*decoders);
	struct json_out j;

	begin(e, rec, &j);
	if (rec->type == RECORD_KEYFRAME)
		json_put_bool(&j, "full", rec->flags & RECORD_FULL);
	if (rec->type < n && decoders[rec->type] != NULL)
		decoders[rec->type](&j, &d);
	else
		json_put_number(&j, "bytes", d.left);
	end_line(&j);
}

/* An event in several records is one line; what is too long is cut. */
static void
on_event(struct log_sink *s, const struct record *rec, bool wanted)
{
	struct events *e = (struct events *)s;

	if (rec->type == RECORD_CLOCK && rec->len >= 8) {
		e->has_clock = true;
		e->wall_ns = (int64_t)get_u64le(rec->payload);
		e->at_ns = rec->time_ns;
	}
	buf_append(&e->parts, rec->payload, rec->len);
	if (rec->flags & RECORD_MORE)
		return;
	if (wanted)
		put_event(e, rec,
		    (struct payload){ e->parts.data, e->parts.len });
	buf_clear(&e->parts);
}

static void
on_damage(struct log_sink *s, const struct log_damage *d)
{
	struct events *e = (struct events *)s;
	struct json_out j;

	buf_clear(&e->parts);
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
	struct events *e = (struct events *)s;

	buf_finish(&e->parts);
	free(e);
}

struct log_sink *
log_events_create(struct buf *out)
{
	static const struct log_sink_ops ops = {
		.output = on_output,
		.event = on_event,
		.damage = on_damage,
		.destroy = destroy,
	};
	struct events *e = xcalloc(1, sizeof(*e));

	e->sink = (struct log_sink){ &ops, out };
	buf_init(&e->parts, EVENT_MAX);
	return &e->sink;
}
