#ifndef TEND_HOST_INPUT_WITNESS_H
#define TEND_HOST_INPUT_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Evidence that the program has read the input and has answered.
 *
 * The screen alone proves neither: the terminal driver echoes input even if no
 * program reads it.  So the kernel is asked how much input is unread.  Output
 * counts as an answer only if it is longer than the driver's echo can be, and
 * if some of it came after the last check that found unread bytes.
 *
 * Answers to the terminal's own queries are input too.  They may be unread
 * although everything typed before them has been read.  The kernel counts
 * bytes some time after they were written, so an answer is left out of the
 * count only WITNESS_ARRIVES_MS after a check first met it.  Until then a few
 * unread bytes are doubtful: they count as typed, and the caller checks again.
 *
 * In canonical mode the kernel counts only whole lines.  If the submitting key
 * does not end a line, nothing can be proved.
 */
#define WITNESS_ARRIVES_MS 100

struct witness {
	int master;
	uint64_t from;      /* end of the output when typing began */
	uint64_t echo;      /* bytes the driver may have echoed since */
	bool echoes;        /* the driver echoes at all */
	bool endless;       /* the last piece does not end the line */
	uint64_t replies;   /* bytes of answers at the last check */
	uint64_t replied;   /* of those, written before the last input */
	uint64_t met;       /* of those, written when a check began to wait */
	int64_t met_ms;     /* time of that check */
	uint64_t counted;   /* of those, certainly counted by the kernel */
	int64_t unread;     /* at the last check; below 0: unknown */
	bool doubtful;      /* the unread bytes may all be answers */
	uint64_t unread_at; /* end of the output when some was unread */
};

/* `head`: the end of the output, including bytes not shown yet. */
void witness_begin(struct witness *w, int master, uint64_t head);

/*
 * witness_type: these bytes are about to be typed.  witness_typed: all of them
 * were, when `replies` bytes of answers had been written.
 */
void witness_type(struct witness *w, const void *p, size_t len);
void witness_typed(struct witness *w, uint64_t replies);

/*
 * Ask how much is unread.  If the result is doubtful, check again after
 * WITNESS_ARRIVES_MS; the second result is certain unless new answers were
 * written.
 */
void witness_look(struct witness *w, uint64_t head, uint64_t replies,
    int64_t now_ms);

bool witness_is_known(const struct witness *w);
bool witness_has_read(const struct witness *w);

/* True if the output up to `shown` is more than an echo. */
bool witness_has_answered(const struct witness *w, uint64_t shown);

/*
 * The bytes of input that the program has not read.  -errno if the kernel does
 * not say; -ESRCH if no program has the terminal open.
 */
int64_t tty_unread(int master);

#endif
