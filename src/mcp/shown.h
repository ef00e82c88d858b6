#ifndef TEND_MCP_SHOWN_H
#define TEND_MCP_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct json_out;

/*
 * What a command wrote, as a terminal shows it: without the sequences that
 * colour it, and with what they erase or write over gone.  A line is not
 * broken before column SHOWN_COLS.
 */
#define SHOWN_COLS 1000

/* Whether there is anything in it that is not text. */
bool shown_is_needed(const char *p, size_t len);

/*
 * The lines, joined by newlines; and as an array of op/hidden.h, its rows
 * counting those lines, what cannot be seen of them.
 */
void shown_text(const char *p, size_t len, struct buf *out,
    struct json_out *hidden);

#endif
