#ifndef TEND_VT_HANDLERS_H
#define TEND_VT_HANDLERS_H

struct seq;
struct vt;

/* The handlers that seq.def names.  Each gets the sequence. */
typedef void seq_fn(struct vt *vt, const struct seq *seq);

#define C0(byte, handler, ...) seq_fn handler;
#define C1(byte, handler, ...) seq_fn handler;
#define ESC(inter, final, handler, ...) seq_fn handler;
#define CSI(private, inter, final, handler, ...) seq_fn handler;
#define DCS(private, inter, final, handler, ...) seq_fn handler;
#define OSC(number, handler, ...) seq_fn handler;
#include "vt/seq.def"

#endif
