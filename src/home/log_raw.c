#include "base/buf.h"
#include "base/mem.h"
#include "home/log_sink.h"
#include "log/record.h"

static void
on_output(struct log_sink *s, const struct record *rec, uint64_t offset,
    const uint8_t *p, size_t len, bool wanted)
{
	(void)offset;
	if (wanted && !(rec->flags & RECORD_HIDDEN))
		buf_append(s->out, p, len);
}

static void
destroy(struct log_sink *s)
{
	free(s);
}

struct log_sink *
log_raw_create(struct buf *out)
{
	static const struct log_sink_ops ops = {
		.output = on_output,
		.destroy = destroy,
	};
	struct log_sink *s = xcalloc(1, sizeof(*s));

	*s = (struct log_sink){ &ops, out };
	return s;
}
