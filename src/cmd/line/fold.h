#ifndef TEND_CMD_LINE_FOLD_H
#define TEND_CMD_LINE_FOLD_H

struct buf;

/*
 * Fold help that was written for 80 columns to a narrower terminal.  Lines
 * break between words, and paragraphs are filled again.  A description that
 * does not fit beside its word moves below it.  Pure.
 *
 *	  tend ls                      list sessions, and the last line of each
 *
 *	  tend ls
 *	      list sessions, and the last line of each
 *
 * The lines of a paragraph begin in the same column.  Those of a description
 * begin in its column, or before it if its word was too long.
 */
void fold_text(const char *text, unsigned cols, struct buf *out);

#endif
