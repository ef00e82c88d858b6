#ifndef TEND_VT_PASTE_H
#define TEND_VT_PASTE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct input_modes;

/*
 * Append pasted text as a terminal in these modes sends it: between ESC[200~
 * and ESC[201~ if the program asked for brackets.
 *
 * Pasted text may come from anybody and must not act as input.  Tab, CR and LF
 * pass.  Every other C0 control and DEL becomes its picture (ESC is U+241B),
 * so that the text can hide no key and no end of the brackets, and a person
 * sees the control.  C1 controls and bytes that are not UTF-8 become U+FFFD.
 *
 * Within brackets lines end as they do in the text.  Without, each CR LF or LF
 * becomes the CR that the Enter key would send.
 *
 * 0, or -ENOBUFS with nothing appended.
 */
int paste_encode(const void *p, size_t len, const struct input_modes *m,
    struct buf *out);

/* Append the report that the terminal gained or lost the focus, if wanted. */
int focus_encode(bool in, const struct input_modes *m, struct buf *out);

#endif
