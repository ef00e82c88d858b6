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
 * The answer of `session.snapshot`, from any screen: a host's, or one replayed
 * from a log.  docs/screen.md describes it.  Pure.
 */
/* The options of a snapshot. */
struct snapshot {
	enum snapshot_format format;
	bool scrollback, cells, hidden;
	bool last_command; /* its output alone, by OSC 133 */
	bool has_since;    /* only the rows that changed after the event */
	uint64_t since;
	size_t max_bytes; /* 0: no limit */
};

/*
 * Check the options.  -EINVAL and the contradiction, named as arguments of the
 * operation or as options of a command line.
 */
enum snapshot_names { SNAPSHOT_ARGUMENTS, SNAPSHOT_OPTIONS };
int snapshot_check(const struct snapshot *s, enum snapshot_names names,
    struct error *err);

/* From the arguments of session.snapshot, and check it. */
int snapshot_read(struct snapshot *s, const json_t *args, struct error *err);

/* The moment it is taken of. */
struct snapshot_of {
	const struct vt *vt;
	uint64_t seq, offset;
	/* True if a row changed after `since`; only asked with has_since. */
	bool (*is_new)(const void *arg, unsigned y);
	const void *arg;
};

/*
 * The result of the operation: the screen object, or an object with `data`.
 * Lines beyond max_bytes are cut at the top, and `truncated` is true; a format
 * without lines gives -ERANGE.  -ENOENT when no command is
 * known.
 */
int snapshot_put(const struct snapshot *s, const struct snapshot_of *of,
    struct json_out *j, struct error *err);

/* The `data` alone, of a format that is not JSON. */
int snapshot_data(const struct snapshot *s, const struct snapshot_of *of,
    struct buf *out, bool *truncated, struct error *err);

/*
 * The screen in a format that is neither text nor JSON.  -ENOBUFS when `out` is
 * full, -EINVAL for those two.
 */
int snapshot_paint(enum snapshot_format f, const struct vt *vt, bool scrollback,
    struct buf *out);

#endif
