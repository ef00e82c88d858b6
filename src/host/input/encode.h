#ifndef TEND_HOST_INPUT_ENCODE_H
#define TEND_HOST_INPUT_ENCODE_H

struct buf;
struct frame_input;
struct input_modes;

/*
 * Converts input events to the bytes that a terminal in these modes sends its
 * program.  Pure.
 */

/*
 * Append the bytes of an INPUT.  Returns TAKEN_WRITTEN, or the reason why
 * there is nothing to type: TAKEN_NOTHING, TAKEN_MALFORMED, TAKEN_FULL (out
 * has no room).
 */
int encode_input(const struct frame_input *in, const struct input_modes *m,
    struct buf *out);

#endif
