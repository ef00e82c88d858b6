/*
 * A hostile screen that may ask a question.  The input is a typed text, a
 * newline, and bytes for a terminal.  The check always ends, gives the same
 * answer twice, and finds no question on a cleared screen.
 */
#include "op/question.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "vt/vt.h"

#define COLS 40
#define ROWS 12

static enum question
look(const struct vt *vt, const char *own)
{
	enum question q = question_find(vt, own);

	MUST(q <= QUESTION_KEY);
	MUST(q == question_find(vt, own));
	MUST((question_name(q) == NULL) == (q == QUESTION_NONE));
	return q;
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	const uint8_t *end = len > 0 ? memchr(p, '\n', len) : NULL;
	size_t first = end != NULL ? (size_t)(end - p) : 0;
	char *own = xmalloc(first + 1);
	struct vt *vt = vt_create(&(struct vt_config){ .cols = COLS,
				      .rows = ROWS },
	    NULL);

	memcpy(own, p, first);
	own[first] = '\0';
	vt_feed(vt, p + first, len - first);
	look(vt, NULL);
	look(vt, own);
	vt_feed(vt, "\033c", 2);
	MUST(look(vt, own) == QUESTION_NONE);
	vt_destroy(vt);
	free(own);
	return 0;
}
