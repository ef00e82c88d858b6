#ifndef TEND_VT_KEY_ENCODE_H
#define TEND_VT_KEY_ENCODE_H

struct buf;
struct input_modes;
struct key;

/*
 * Append the bytes that a terminal in these modes sends for the key.  In this
 * order:
 *
 * kitty_flags		the protocol of kitty's keyboard-protocol document
 * modify_other_keys	xterm's rules, with Alt as its Meta modifier, and
 *			Shift-Tab always CSI Z
 * otherwise		xterm's PC-style keys; Alt is an ESC before the key
 *
 * A modifier that has no place in a sequence is left out, as in xterm: Super
 * and k types k.  A key without a sequence (such as a volume key, if the
 * program does not use kitty's protocol), and a release that the program did
 * not request, append nothing.  0, or -ENOBUFS with nothing appended.
 */
int key_encode(const struct key *k, const struct input_modes *m,
    struct buf *out);

#endif
