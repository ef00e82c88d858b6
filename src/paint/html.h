#ifndef TEND_PAINT_HTML_H
#define TEND_PAINT_HTML_H

struct buf;
struct vt;

/*
 * The screen as a page that stands alone: no script, nothing fetched, and a
 * policy in its head that forbids both.  The text of #screen (and #scrollback,
 * with PAINT_SCROLLBACK) is the text of the terminal, so that it can be
 * selected, searched and read aloud.  Links to http, https, ftp and mailto can
 * be followed; others only show where they would lead.
 *
 * flags: enum paint_flags (span.h).  0, or -ENOBUFS when out is full.
 */
int paint_html(const struct vt *vt, unsigned flags, struct buf *out);

#endif
