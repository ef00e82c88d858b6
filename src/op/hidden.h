#ifndef TEND_OP_HIDDEN_H
#define TEND_OP_HIDDEN_H

struct json_out;
struct vt;
struct vt_row;

/*
 * Text on the screen that a person cannot see: it is concealed (SGR 8) or has
 * nearly the colour of its background.  Callers that pass the screen's text to
 * a model report these parts.
 *
 * The result is an array of {"row","col","width","why","text"}; why is
 * "concealed" or "colour".  It has at most HIDDEN_MAX entries; the rest are
 * dropped.
 */
#define HIDDEN_MAX 64

void hidden_json(const struct vt *vt, struct json_out *j);

/* Append the entries of one row, number `y`, to an array: at most `left`. */
unsigned hidden_put_row(const struct vt *vt, const struct vt_row *row,
    unsigned y, unsigned left, struct json_out *j);

#endif
