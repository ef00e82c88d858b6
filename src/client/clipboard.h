#ifndef TEND_CLIENT_CLIPBOARD_H
#define TEND_CLIENT_CLIPBOARD_H

#include <stddef.h>

struct buf;

/*
 * Sets the user's clipboard through the terminal (OSC 52).  Terminals discard
 * text that is too long for them; nearly all accept CLIPBOARD_MAX bytes.
 */
#define CLIPBOARD_MAX (100u << 10)

/* Append the sequence that sets it. */
void clipboard_put(struct buf *out, const void *p, size_t len);

#endif
