#ifndef TEND_CMD_LINE_USAGE_H
#define TEND_CMD_LINE_USAGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A command's synopsis, read: completion learns from "SESSION [--json]
 * SIGNAL" that a signal comes second, and the manual prints what stands for
 * something else in another type.  Pure.
 */
#define USAGE_WORD_MAX 32

/*
 * The i-th operand, from 0: "SESSION", or a word like "forget" that stands for
 * itself.  Of several ("SESSION|--all") the first that is no option.  The last
 * one counts for all that follow when it may be repeated ("KEY=VALUE...").
 * False when there is none.
 */
bool usage_operand(const char *usage, unsigned i, char out[USAGE_WORD_MAX]);

/* Whether the word is a place for something: COLSxROWS, KEY=VALUE. */
bool usage_is_place(const char *word, size_t len);

#endif
