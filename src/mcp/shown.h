#ifndef TEND_MCP_SHOWN_H
#define TEND_MCP_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct json_out;

/*
 * The output of a command, as a terminal shows it: without colour sequences,
 * and without text that was erased or overwritten.  A line breaks only at
 * column SHOWN_COLS.
 */
#define SHOWN_COLS 1000

/* True if the output contains anything but text. */
bool shown_is_needed(const char *p, size_t len);

/*
 * The lines, joined by newlines, and the characters that are invisible in them,
 * as an array of op/hidden.h whose rows are these lines.
 */
void shown_text(const char *p, size_t len, struct buf *out,
    struct json_out *hidden);

#endif
