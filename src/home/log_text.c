#include <stdlib.h>

#include "base/mem.h"
#include "client/narrator.h"
#include "home/log_sink.h"
#include "log/record.h"
#include "op/transcript.h"

struct text {
	struct log_sink sink;
	bool follow;
	struct narrator narrator;
};

static void
on_output(struct log_sink *s, const struct record *rec, uint64_t offset,
    const uint8_t *p, size_t len, bool wanted)
{
	struct text *t = (struct text *)s;

	(void)offset;
	if (wanted)
		transcript_want(t->narrator.transcript);
	narrator_output(&t->narrator, rec, p, len);
}

static void
on_event(struct log_sink *s, const struct record *rec, bool wanted)
{
	struct text *t = (struct text *)s;

	if (wanted)
		transcript_want(t->narrator.transcript);
	narrator_event(&t->narrator, rec);
}

static void
on_damage(struct log_sink *s, const struct log_damage *d)
{
	struct text *t = (struct text *)s;

	(void)d;
	narrator_lose(&t->narrator);
}

static void
on_pause(struct log_sink *s)
{
	struct text *t = (struct text *)s;

	if (t->follow)
		transcript_pause(t->narrator.transcript);
}

static void
on_end(struct log_sink *s)
{
	transcript_end(((struct text *)s)->narrator.transcript);
}

static void
destroy(struct log_sink *s)
{
	struct text *t = (struct text *)s;

	narrator_finish(&t->narrator);
	free(t);
}

struct log_sink *
log_text_create(struct buf *out, bool follow)
{
	static const struct log_sink_ops ops = {
		.output = on_output,
		.event = on_event,
		.damage = on_damage,
		.pause = on_pause,
		.end = on_end,
		.destroy = destroy,
		.needs_screen = true,
	};
	struct text *t = xcalloc(1, sizeof(*t));

	t->sink = (struct log_sink){ &ops, out };
	t->follow = follow;
	narrator_init(&t->narrator, out);
	return &t->sink;
}
