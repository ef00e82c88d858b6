#ifndef TEND_HOST_INPUT_INPUT_H
#define TEND_HOST_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;

/*
 * The one queue to the terminal.  All input is cut into pieces, and each piece
 * is written whole before the next begins, so input of two clients is never
 * mixed.  If the program does not read, the queue grows up to INPUT_BYTES_MAX
 * and INPUT_PIECES_MAX; further input is refused.
 *
 * To type several pieces that belong together, message.h reserves the queue.
 * Until the reservation ends, only its pieces are written, regardless of the
 * limits; all others wait.
 *
 * Answers to the terminal's queries (answers.h) alternate with the waiting
 * pieces and are not logged.  None is dropped: if a program asks and does not
 * read, its output is not read either (input_is_full).
 */
struct input;

#define INPUT_BYTES_MAX (1u << 20)
#define INPUT_PIECES_MAX 4096

struct input_piece {
	uint64_t client;      /* number of the connection, for on_done */
	uint64_t id;          /* the client's, for on_done */
	uint64_t reservation; /* its own, for on_done; 0: none */
	bool request;         /* id is that of a REQUEST, not of an INPUT */
	bool secret;          /* do not log its bytes */
	uint8_t kind;         /* enum input_kind, for the log */
	uint8_t part;         /* enum draft_part: its part of a prompt */
	const char *by;       /* the author, as in log/by.h */
	const char *key; /* of its request, for the log; NULL or "": none */
	const uint8_t *p;
	size_t len;
};

struct input_done {
	uint64_t client, id, reservation;
	bool request;
	int status; /* enum taken_status */
	uint64_t seq;
};

struct input_hooks {
	/*
	 * A waiting piece was written or refused.  seq is that of its event,
	 * or of the last event before it if input is not logged.
	 */
	void (*on_done)(void *arg, const struct input_done *done);
	/* The program may echo these bytes; they are not secret. */
	void (*on_typed)(void *arg, const uint8_t *p, size_t len);
};

/* A terminal that cannot be watched (it was closed) counts as ended. */
struct input *input_create(struct session *session,
    const struct input_hooks *hooks, void *arg);
void input_destroy(struct input *in); /* NULL is fine */

/*
 * Type a piece now, or after the pieces before it.  Returns an enum
 * taken_status and *seq if that is decided already, or INPUT_WAITS: on_done
 * reports it later.
 */
#define INPUT_WAITS -1
int input_type(struct input *in, const struct input_piece *piece,
    uint64_t *seq);

/* Write only pieces of this reservation from now on; 0: all, in order. */
void input_reserve(struct input *in, uint64_t reservation);

/*
 * Drop the waiting pieces of a reservation.  True if none was partly written.
 */
bool input_drop(struct input *in, uint64_t reservation);

/*
 * An answer of the engine to the program.  If there is no room for more, this
 * pauses the engine.  input_replied then records how far the engine was fed,
 * and writes.
 */
void input_reply(struct input *in, const char *p, size_t len);
void input_replied(struct input *in, uint64_t fed);

/*
 * True if no output may be taken because queries in it cannot be answered now.
 * output_flow_again is called when that ends.
 */
bool input_is_full(const struct input *in);

/* Mute while no program reads answers. */
void input_mute(struct input *in, bool mute);

/* The bytes of answers written so far. */
uint64_t input_answers_written(const struct input *in);

/* True if only the length of input would be logged now. */
bool input_is_secret(const struct input *in);

/*
 * True if the engine has reported the cursor's position in the last seconds.
 */
bool input_cpr_answered(const struct input *in);

/*
 * True if the terminal has accepted all input.  Answers that the next host
 * finds in the ring do not count.
 */
bool input_is_empty(const struct input *in);

/* The program has ended: refuse what waits. */
void input_end(struct input *in);

#endif
