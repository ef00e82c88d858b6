#ifndef TEND_HOST_ENCODE_H
#define TEND_HOST_ENCODE_H

#include <jansson.h>

struct buf;
struct error;
struct frame_input;
struct input_modes;

/*
 * What somebody did, as the bytes that a terminal in these modes sends its
 * program.  Pure.
 */

/*
 * Append the bytes of an INPUT.  TAKEN_WRITTEN, or why there is nothing to
 * type: TAKEN_NOTHING, TAKEN_MALFORMED, TAKEN_FULL (out has no room).
 */
int encode_input(const struct frame_input *in, const struct input_modes *m,
    struct buf *out);

/*
 * The same for the `input` of session.send: an array of {"text":…},
 * {"keys":["C-c",…]} and {"paste":…}.  0, or -EINVAL, -ENOBUFS, and which
 * was wrong.
 */
int encode_items(const json_t *items, const struct input_modes *m,
    struct buf *out, struct error *err);

#endif
