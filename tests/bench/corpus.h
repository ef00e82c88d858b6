#ifndef TEND_TESTS_CORPUS_H
#define TEND_TESTS_CORPUS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Output of programs to a terminal, generated from a seed.
 *
 *	plain	log lines: time, level, place, words; 20 to 160 columns
 *	sgr	words in random truecolour, palette colours and attributes
 *	utf8	CJK, emoji and their sequences, combining marks, accents
 *	tui	full-screen redraws for the given size, as a process viewer
 *		and an agent make them
 *
 * Every line and every frame is complete, so a corpus may be cut at `cut`
 * without cutting a sequence.
 */
enum corpus_kind {
	CORPUS_PLAIN,
	CORPUS_SGR,
	CORPUS_UTF8,
	CORPUS_TUI,
	CORPUS_KINDS,
};

struct corpus {
	char *data;
	size_t len;
	size_t cut; /* the first whole lines or frames of at least cut_min */
};

const char *corpus_name(enum corpus_kind kind);

/* At least len bytes; corpus_finish frees them. */
void corpus_make(struct corpus *c, enum corpus_kind kind, unsigned cols,
    unsigned rows, uint64_t seed, size_t len, size_t cut_min);
void corpus_finish(struct corpus *c);

#endif
