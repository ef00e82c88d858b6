#ifndef TEND_CLIENT_CLIPBOARD_H
#define TEND_CLIENT_CLIPBOARD_H

#include <stddef.h>

struct buf;

/*
 * The user's clipboard, which is the terminal's to set (OSC 52).  Terminals
 * throw away what is too long for them; nearly all take CLIPBOARD_MAX bytes of
 * text.
 */
#define CLIPBOARD_MAX (100u << 10)

/* Append what makes the terminal set it. */
void clipboard_put(struct buf *out, const void *p, size_t len);

#endif
