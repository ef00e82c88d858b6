#ifndef TEND_TESTS_VT_MAKE_H
#define TEND_TESTS_VT_MAKE_H

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "vt/keyframe.h"
#include "vt/text.h"
#include "vt/vt.h"

/* Terminals for tests, which include unit.h first. */

/* A terminal's replies to its program. */
struct replies {
	struct buf out;
};

static inline void
make_on_reply(void *arg, const char *p, size_t len)
{
	struct replies *r = arg;

	buf_append(&r->out, p, len);
}

static const struct vt_ops make_ops = { .reply = make_on_reply };

static inline struct vt *
make_from(const struct vt_config *config)
{
	struct error err = { 0 };
	struct vt *vt = vt_create(config, &err);

	if (vt == NULL)
		fail_msg("%ux%u: %s", config->cols, config->rows, err.msg);
	return vt;
}

/* With the default history. */
static inline struct vt *
make_vt(unsigned cols, unsigned rows)
{
	return make_from(&(struct vt_config){
	    .cols = (uint16_t)cols,
	    .rows = (uint16_t)rows,
	    .history_lines = VT_HISTORY_LINES,
	    .history_bytes = VT_HISTORY_BYTES,
	});
}

static inline struct vt *
make_vt_without_history(unsigned cols, unsigned rows)
{
	return make_from(&(struct vt_config){ .cols = (uint16_t)cols,
	    .rows = (uint16_t)rows });
}

/* With the default history, and its replies kept; the caller finishes them. */
static inline struct vt *
make_vt_that_replies(unsigned cols, unsigned rows, struct replies *replies)
{
	buf_init(&replies->out, SIZE_MAX);
	return make_from(&(struct vt_config){
	    .cols = (uint16_t)cols,
	    .rows = (uint16_t)rows,
	    .history_lines = VT_HISTORY_LINES,
	    .history_bytes = VT_HISTORY_BYTES,
	    .ops = &make_ops,
	    .arg = replies,
	});
}

/* The replies since the last call are exactly these. */
static inline void
replied(struct replies *replies, const char *want)
{
	char *got = buf_take(&replies->out);

	assert_string_equal(got, want);
	free(got);
}

static inline void
feed(struct vt *vt, const char *s)
{
	vt_feed(vt, s, strlen(s));
}

/* In two pieces, the first of `cut` bytes. */
static inline void
feed_cut(struct vt *vt, const char *s, size_t cut)
{
	vt_feed(vt, s, cut);
	vt_feed(vt, s + cut, strlen(s) - cut);
}

/* The screen's text; the caller frees. */
static inline char *
text_of(const struct vt *vt)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	assert_int_equal(vt_text(vt, &out), 0);
	return buf_take(&out);
}

static inline void
shows(const struct vt *vt, const char *want)
{
	char *got = text_of(vt);

	assert_string_equal(got, want);
	free(got);
}

/* Its keyframe; the caller finishes it. */
static inline struct buf
keyframe_of(const struct vt *vt)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	assert_int_equal(keyframe_save(vt, &out), 0);
	return out;
}

/* Both terminals are in the same state, hidden parts included. */
static inline void
same_state(const struct vt *a, const struct vt *b)
{
	struct buf x = keyframe_of(a), y = keyframe_of(b);

	assert_int_equal(x.len, y.len);
	assert_memory_equal(x.data, y.data, x.len);
	buf_finish(&x);
	buf_finish(&y);
}

#endif
