#ifndef TEND_OP_HIDDEN_H
#define TEND_OP_HIDDEN_H

struct json_out;
struct vt;
struct vt_row;

/*
 * Text on the screen that a person cannot see: it is concealed (SGR 8), or has
 * the colour of its background, or nearly.  Callers that give the screen's text
 * to a model report these parts.
 *
 * An array of {"row","col","width","why","text"}; why is "concealed" or
 * "colour".  At most HIDDEN_MAX entries; the rest are dropped.
 */
#define HIDDEN_MAX 64

void hidden_json(const struct vt *vt, struct json_out *j);

/* The entries of one row, called `y`, into an array: `left` of them at most. */
unsigned hidden_put_row(const struct vt *vt, const struct vt_row *row,
    unsigned y, unsigned left, struct json_out *j);

#endif
