#ifndef TEND_HOST_INPUT_WITNESS_H
#define TEND_HOST_INPUT_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Evidence that the program has read what was typed, and has answered.
 *
 * The screen alone proves neither: the terminal driver echoes what is typed
 * whether somebody reads it or not.  So the kernel is asked how much of the
 * input is still unread, and output counts as an answer only when there is
 * more of it than the driver can have echoed, and some of it came after the
 * last look that found unread bytes.
 *
 * Answers to the terminal's own queries are input as well.  They may be unread
 * though everything that was typed before them has been read.  The kernel
 * counts bytes some time after they were written, so an answer is left out of
 * the count only WITNESS_ARRIVES_MS after a look has first met it.  Until then
 * a few unread bytes are doubtful: they count as typed, and the caller looks
 * again.
 *
 * A terminal in canonical mode counts whole lines alone.  When the submitting
 * key does not end a line there, nothing can be said.
 */
#define WITNESS_ARRIVES_MS 100

struct witness {
	int master;
	uint64_t from;      /* where the output ended when typing began */
	uint64_t echo;      /* bytes that the driver can have echoed since */
	bool echoes;        /* and whether it echoes at all */
	bool endless;       /* the last piece does not end the line */
	uint64_t replies;   /* bytes of answers, by the last look */
	uint64_t replied;   /* of those, written before what was typed last */
	uint64_t met;       /* of those, written when a look began to wait */
	int64_t met_ms;     /* and when that was */
	uint64_t counted;   /* of those, counted by the kernel for sure */
	int64_t unread;     /* by the last look; below 0: not known */
	bool doubtful;      /* what is unread may be answers alone */
	uint64_t unread_at; /* where the output was when some was unread */
};

/* `head`: where the output ends, the bytes included that nobody has seen. */
void witness_begin(struct witness *w, int master, uint64_t head);

/*
 * These bytes are about to be typed; all of the last ones have been, when so
 * many bytes of answers had been written.
 */
void witness_type(struct witness *w, const void *p, size_t len);
void witness_typed(struct witness *w, uint64_t replies);

/*
 * Ask how much is unread.  When that is doubtful, a look WITNESS_ARRIVES_MS
 * later tells, unless there are new answers by then.
 */
void witness_look(struct witness *w, uint64_t head, uint64_t replies,
    int64_t now_ms);

bool witness_is_known(const struct witness *w);
bool witness_has_read(const struct witness *w);

/* The output up to `shown` has more in it than an echo. */
bool witness_has_answered(const struct witness *w, uint64_t shown);

/*
 * The bytes of the terminal's input that the program has not read; -errno when
 * the kernel does not tell, -ESRCH when no program has the terminal open.
 */
int64_t tty_unread(int master);

#endif
