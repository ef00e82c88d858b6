#ifndef TEND_OP_HIDDEN_H
#define TEND_OP_HIDDEN_H

struct json_out;
struct vt;

/*
 * What stands on the screen but cannot be seen by a person who looks at it:
 * text that is concealed (SGR 8), or has the colour of its ground, or nearly.
 * Whoever gives the screen's text to a model says which part of it that is.
 *
 * An array of {"row","col","width","why","text"}; why is "concealed" or
 * "colour".  At most HIDDEN_MAX entries: more of them say no more.
 */
#define HIDDEN_MAX 64

void hidden_json(const struct vt *vt, struct json_out *j);

#endif
