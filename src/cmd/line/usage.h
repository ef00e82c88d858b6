#ifndef TEND_CMD_LINE_USAGE_H
#define TEND_CMD_LINE_USAGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A parser for synopses.  Completion learns from "SESSION [--json] SIGNAL" that
 * a signal is the second operand, and the manual prints placeholders in another
 * typeface.  Pure.
 */
#define USAGE_WORD_MAX 32

struct buf;

/*
 * The i-th operand, from 0: "SESSION", or a literal word such as "forget".  If it
 * has alternatives ("start|stop"), the k-th of those that are not options; else
 * k is 0.  The last operand also stands for all following ones if it may be
 * repeated ("KEY=VALUE...").  False if there is none.
 */
bool usage_operand(const char *usage, unsigned i, unsigned k,
    char out[USAGE_WORD_MAX]);

/*
 * Append "usage: tend NAME SYNOPSIS".  A line of the synopsis that is too long for
 * 80 columns breaks before a group in brackets.
 */
void usage_put(struct buf *out, const char *name, const char *usage);

/* True if the word is a placeholder: COLSxROWS, KEY=VALUE. */
bool usage_is_place(const char *word, size_t len);

#endif
