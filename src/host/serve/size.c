#include "host/serve/size.h"

#include "vt/vt.h"

static unsigned
smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned
larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static void
add_vote(enum size_policy policy, const struct size_vote *v,
    struct size_vote *best)
{
	switch (policy) {
	case SIZE_SMALLEST:
		best->cols = smaller(best->cols, v->cols);
		best->rows = smaller(best->rows, v->rows);
		break;
	case SIZE_LARGEST:
		best->cols = larger(best->cols, v->cols);
		best->rows = larger(best->rows, v->rows);
		break;
	case SIZE_LATEST:
		if (v->at > best->at)
			*best = *v;
		break;
	case SIZE_FIXED:
		break;
	}
}

bool
size_decide(enum size_policy policy, const struct size_vote *votes, size_t n,
    unsigned *cols, unsigned *rows)
{
	struct size_vote best;

	if (n == 0 || policy == SIZE_FIXED)
		return false;
	best = votes[0];
	for (size_t i = 1; i < n; i++)
		add_vote(policy, &votes[i], &best);
	*cols = smaller(larger(best.cols, VT_COLS_MIN), VT_COLS_MAX);
	*rows = smaller(larger(best.rows, 1), VT_ROWS_MAX);
	*rows = smaller(*rows, VT_CELLS_MAX / *cols);
	return true;
}
