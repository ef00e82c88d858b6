/* The rows of the history, made on demand. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "vt/flow.h"
#include "vt/state.h"
#include "vt/vt.h"

/* A line of more pieces than this is shown as several. */
#define PIECES_MAX 256

struct vt_history_iter {
	const struct vt *vt;
	struct history_place place;
	struct history_line line; /* the next one, not in flow yet */
	bool more;
	struct flow flow;
	size_t at;
	bool first; /* of the flow */
	bool oldest;
	struct clusters clusters;
	struct cell *cells;
};

struct vt_history_iter *
vt_history_begin(const struct vt *vt)
{
	struct vt_history_iter *it = xcalloc(1, sizeof(*it));

	it->vt = vt;
	it->cells = xcalloc(vt->screen->cols, sizeof(*it->cells));
	clusters_init(&it->clusters);
	flow_init(&it->flow);
	it->more = history_next(&vt->history, &it->place, &it->line);
	it->at = 1; /* the flow is at its end */
	it->oldest = true;
	return it;
}

void
vt_history_end(struct vt_history_iter *it)
{
	if (it == NULL)
		return;
	flow_finish(&it->flow);
	clusters_finish(&it->clusters);
	free(it->cells);
	free(it);
}

/* True if the last line continues on the primary screen. */
static bool
goes_on(const struct vt *vt)
{
	return screen_row(&vt->screens[0], 0)->flags & ROW_CONTINUES;
}

static bool
next_line(struct vt_history_iter *it)
{
	unsigned pieces = 0;

	if (!it->more)
		return false;
	flow_clear(&it->flow);
	clusters_clear(&it->clusters);
	it->flow.flags = it->line.flags;
	/* Its beginning was dropped from the history. */
	if (it->oldest)
		it->flow.flags &= ~(unsigned)ROW_CONTINUES;
	it->oldest = false;
	do {
		flow_add_packed(&it->flow, it->line.p, it->line.len,
		    &it->clusters);
		it->more = history_next(&it->vt->history, &it->place,
		    &it->line);
	} while (it->more && (it->line.flags & ROW_CONTINUES) &&
	    ++pieces < PIECES_MAX);
	if (!it->more && goes_on(it->vt))
		flow_go_on(&it->flow, it->vt->history.missing);
	it->at = 0;
	it->first = true;
	return true;
}

bool
vt_history_next(struct vt_history_iter *it, struct vt_row *out)
{
	struct flow_row row;
	unsigned cols = it->vt->screen->cols;

	while (!flow_next_row(&it->flow, cols, &it->at, &row))
		if (!next_line(it))
			return false;
	memset(it->cells, 0, cols * sizeof(*it->cells));
	*out = (struct vt_row){
		.cells = it->cells,
		.used = flow_copy_row(&it->flow, &row, it->cells),
		.flags = it->first ? it->flow.flags : ROW_CONTINUES,
		.clusters = &it->clusters,
	};
	it->first = false;
	return true;
}
