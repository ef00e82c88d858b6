#ifndef TEND_TESTS_PAINT_MAKE_H
#define TEND_TESTS_PAINT_MAKE_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "vt/vt.h"
#include "vt_make.h"

/* Pictures of screens, for tests, which include unit.h first. */

typedef int paint_fn(const struct vt *vt, unsigned flags, struct buf *out);

/* The picture of a 20x2 screen after these bytes; the caller frees. */
static inline char *
picture_of(paint_fn *paint, const char *bytes, unsigned flags)
{
	struct vt *vt = make_vt(20, 2);
	struct buf out;

	feed(vt, bytes);
	buf_init(&out, 1 << 20);
	assert_int_equal(paint(vt, flags, &out), 0);
	vt_destroy(vt);
	return buf_take(&out);
}

static inline void
picture_has(paint_fn *paint, const char *bytes, const char *want)
{
	auto_free char *picture = picture_of(paint, bytes, 0);

	if (strstr(picture, want) == NULL)
		fail_msg("%s\n  is not in\n%s", want, picture);
}

static inline void
picture_has_not(paint_fn *paint, const char *bytes, const char *unwanted)
{
	auto_free char *picture = picture_of(paint, bytes, 0);

	if (strstr(picture, unwanted) != NULL)
		fail_msg("%s\n  is in\n%s", unwanted, picture);
}

/* Output never exceeds the given room, and the lack of room is reported. */
static inline void
picture_stops_at_maximum(paint_fn *paint, const char *bytes)
{
	auto_free char *picture = picture_of(paint, bytes, 0);
	struct vt *vt = make_vt(20, 2);
	struct buf out;

	feed(vt, bytes);
	for (size_t max = 0; max < strlen(picture); max += 13) {
		buf_init(&out, max);
		assert_int_equal(paint(vt, 0, &out), -ENOBUFS);
		assert_true(out.len <= max);
		buf_finish(&out);
	}
	vt_destroy(vt);
}

#endif
