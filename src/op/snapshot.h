#ifndef TEND_OP_SNAPSHOT_H
#define TEND_OP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "op/format.h"

struct buf;
struct error;
struct json_out;
struct vt;

/*
 * The answer of `session.snapshot`, for any screen: a host's, or one replayed
 * from a log.  docs/screen.md describes it.  Pure.
 */
/* The options of a snapshot. */
struct snapshot {
	enum snapshot_format format;
	bool scrollback, cells, hidden;
	bool last_command; /* only its output, found by OSC 133 */
	bool has_since;    /* only the rows that changed after the event */
	uint64_t since;
	size_t max_bytes; /* 0: no limit */
};

/*
 * Check the options.  Returns -EINVAL and an error about the contradiction,
 * with names of arguments or of command line options.
 */
enum snapshot_names { SNAPSHOT_ARGUMENTS, SNAPSHOT_OPTIONS };
int snapshot_check(const struct snapshot *s, enum snapshot_names names,
    struct error *err);

/* Parse the arguments of session.snapshot and check them. */
int snapshot_read(struct snapshot *s, const json_t *args, struct error *err);

/* The source of a snapshot. */
struct snapshot_of {
	const struct vt *vt;
	uint64_t seq, offset;
	/* True if a row changed after `since`; called only with has_since. */
	bool (*is_new)(const void *arg, unsigned y);
	const void *arg;
};

/*
 * Write the result of the operation: the screen object, or an object with
 * `data`.  Lines beyond max_bytes are cut at the top, and `truncated` is true;
 * a format without lines gives -ERANGE.  Returns -ENOENT if no command is
 * known.
 */
int snapshot_put(const struct snapshot *s, const struct snapshot_of *of,
    struct json_out *j, struct error *err);

/* Write only the `data`, for a format other than JSON. */
int snapshot_data(const struct snapshot *s, const struct snapshot_of *of,
    struct buf *out, bool *truncated, struct error *err);

/*
 * Paint the screen in a format other than text and JSON.  Returns -ENOBUFS if
 * `out` is full, -EINVAL for text and JSON.
 */
int snapshot_paint(enum snapshot_format f, const struct vt *vt, bool scrollback,
    struct buf *out);

#endif
