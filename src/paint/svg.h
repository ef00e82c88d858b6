#ifndef TEND_PAINT_SVG_H
#define TEND_PAINT_SVG_H

struct buf;
struct vt;

/*
 * The screen as an SVG picture that stands alone: no script, nothing fetched.
 * Every stretch of text has its place and its length, so columns stay in line
 * whatever fonts the reader has; box drawing is drawn as shapes.  Links are
 * treated as in html.h.
 *
 * flags: enum paint_flags (span.h).  0, or -ENOBUFS when out is full.
 */
int paint_svg(const struct vt *vt, unsigned flags, struct buf *out);

#endif
