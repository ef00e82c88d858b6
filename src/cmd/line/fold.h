#ifndef TEND_CMD_LINE_FOLD_H
#define TEND_CMD_LINE_FOLD_H

struct buf;

/*
 * Help that was written for 80 columns, for a terminal that has less: lines are
 * broken between words, and paragraphs filled anew.  A description that stands
 * beside its word and has no room there goes below it.  Pure.
 *
 *	  tend ls                      what runs, and the last line of each
 *
 *	  tend ls
 *	      what runs, and the last line of each
 *
 * The lines of a paragraph begin in the same column.  Those of a description
 * begin in its column or, where its word was too long for that, before it.
 */
void fold_text(const char *text, unsigned cols, struct buf *out);

#endif
