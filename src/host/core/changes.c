#include "host/core/changes.h"

#include <stdlib.h>

#include "base/mem.h"
#include "vt/vt.h"

void
changes_finish(struct changes *c)
{
	free(c->rows);
	*c = (struct changes){ 0 };
}

void
changes_all(struct changes *c, const struct vt *vt, uint64_t seq)
{
	c->seq = seq;
	c->n_rows = vt != NULL ? vt_rows(vt) : 0;
	c->generation = vt != NULL ? vt_generation(vt) : 0;
	c->rows = xrealloc(c->rows, c->n_rows + 1, sizeof(*c->rows));
	for (unsigned y = 0; y < c->n_rows; y++)
		c->rows[y] = seq;
}

void
changes_note(struct changes *c, const struct vt *vt, uint64_t seq)
{
	if (vt == NULL || vt_rows(vt) != c->n_rows) {
		changes_all(c, vt, seq);
		return;
	}
	if (vt_generation(vt) == c->generation)
		return;
	for (unsigned y = 0; y < c->n_rows; y++) {
		if (vt_row_generation(vt, y) > c->generation)
			c->rows[y] = seq;
	}
	c->generation = vt_generation(vt);
	c->seq = seq;
}

/* During an update, rows are ahead of the noted changes. */
bool
changes_row(const struct changes *c, const struct vt *vt, unsigned y,
    uint64_t since)
{
	return y >= c->n_rows || c->rows[y] > since ||
	    vt_row_generation(vt, y) > c->generation;
}
