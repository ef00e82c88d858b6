#include "hub/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "hub/access.h"
#include "hub/directory.h"
#include "hub/follow.h"
#include "hub/hub.h"
#include "op/ops.h"

/* The order of sessions_sort. */
static int
compare(const void *pa, const void *pb)
{
	const struct directory_session *a = *(
	    const struct directory_session *const *)pa;
	const struct directory_session *b = *(
	    const struct directory_session *const *)pb;

	if (a->active != b->active)
		return a->active ? -1 : 1;
	if (!a->active && a->changed_ms != b->changed_ms)
		return a->changed_ms > b->changed_ms ? -1 : 1;
	return strcmp(b->id, a->id);
}

static void
put(const struct hub *hub, const struct identity *who,
    const struct directory_session *s, struct buf *out)
{
	unsigned granted = access_permissions(hub->access, who, s->id, s->name);

	if (!(granted & (1u << OP_OBSERVE)))
		return;
	if (out->data[out->len - 1] != '[')
		(void)buf_putc(out, ',');
	(void)buf_puts(out,
	    granted & (1u << OP_ADMIN) || s->shown == NULL ? s->json :
							     s->shown);
}

void
listing_put(struct hub *hub, const struct identity *who, bool all,
    struct buf *out)
{
	auto_free const struct directory_session **rows = NULL;
	size_t n = 0;

	follow_catch_up(hub->follow);
	rows = xcalloc(directory_count(hub->directory) + 1, sizeof(*rows));
	for (size_t i = 0; i < directory_count(hub->directory); i++) {
		rows[n] = directory_at(hub->directory, i);
		n += all || rows[n]->active;
	}
	qsort(rows, n, sizeof(*rows), compare);
	(void)buf_puts(out, "{\"sessions\":[");
	for (size_t i = 0; i < n && !out->full; i++)
		put(hub, who, rows[i], out);
	(void)buf_puts(out, "]}");
}
