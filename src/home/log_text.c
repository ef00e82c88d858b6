#include <stdlib.h>

#include "base/mem.h"
#include "client/log_player.h"
#include "home/log_sink.h"
#include "log/record.h"
#include "op/transcript.h"

struct text {
	struct log_sink sink;
	bool follow;
	struct log_player player;
};

static void
on_output(struct log_sink *s, const struct record *rec, uint64_t offset,
    const uint8_t *p, size_t len, bool wanted)
{
	struct text *t = (struct text *)s;

	(void)offset;
	if (wanted)
		transcript_want(t->player.transcript);
	log_player_output(&t->player, rec, p, len);
}

static void
on_event(struct log_sink *s, const struct record *rec, bool wanted)
{
	struct text *t = (struct text *)s;

	if (wanted)
		transcript_want(t->player.transcript);
	log_player_event(&t->player, rec);
}

static void
on_damage(struct log_sink *s, const struct log_damage *d)
{
	struct text *t = (struct text *)s;

	(void)d;
	log_player_lose(&t->player);
}

static void
on_pause(struct log_sink *s)
{
	struct text *t = (struct text *)s;

	if (t->follow)
		transcript_pause(t->player.transcript);
}

static void
on_end(struct log_sink *s)
{
	transcript_end(((struct text *)s)->player.transcript);
}

static void
destroy(struct log_sink *s)
{
	struct text *t = (struct text *)s;

	log_player_finish(&t->player);
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
	log_player_init(&t->player, out);
	return &t->sink;
}
