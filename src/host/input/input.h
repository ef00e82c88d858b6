#ifndef TEND_HOST_INPUT_INPUT_H
#define TEND_HOST_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;

/*
 * The one queue to the terminal.  Everything that anybody types is a piece,
 * and a piece is written whole before the next begins: what two clients type
 * is never mixed.  A program that does not read makes the queue grow up to
 * INPUT_BYTES_MAX and INPUT_PIECES_MAX; what is more is refused.
 *
 * Who types several pieces that belong together (message.session) takes a turn: until
 * it is given back only pieces of that turn are written, whatever the limits,
 * and all others wait.
 *
 * Answers to the terminal's queries (answers.session) take turns with the pieces that
 * wait, and are not logged.  None is dropped: a program that asks and does not
 * read is not read from either (input_is_full).
 */
struct input;

#define INPUT_BYTES_MAX (1u << 20)
#define INPUT_PIECES_MAX 4096

struct input_piece {
	uint64_t client; /* number of the connection, told to `done` */
	uint64_t id;     /* the client's, told to `done` */
	uint64_t turn;   /* that it belongs to, told to `done`; 0: none */
	bool request;    /* id is of a REQUEST, not of an INPUT */
	bool secret;     /* its bytes are not to be logged */
	uint8_t kind;    /* enum input_kind, for the log */
	uint8_t part;    /* enum draft_part: which of a prompt it is */
	const char *by;  /* who types it, as log/by.h has it */
	const char *key; /* of its request, for the log; NULL or "": none */
	const uint8_t *p;
	size_t len;
};

struct input_done {
	uint64_t client, id, turn;
	bool request;
	int status; /* enum taken_status */
	uint64_t seq;
};

struct input_hooks {
	/*
	 * A piece that had to wait was written or refused.  seq is of its event
	 * in the log, or of the last before it when input is not logged.
	 */
	void (*on_done)(void *arg, const struct input_done *done);
	/* The program may echo these bytes; they are no secret. */
	void (*on_typed)(void *arg, const uint8_t *p, size_t len);
};

/* A terminal that cannot be watched (it was closed) has ended. */
struct input *input_create(struct session *session,
    const struct input_hooks *hooks, void *arg);
void input_destroy(struct input *in); /* NULL is fine */

/*
 * Type a piece now, or as soon as those before it are.  An enum taken_status
 * and *seq when that is decided already, or INPUT_WAITS: `done` will tell.
 */
#define INPUT_WAITS -1
int input_type(struct input *in, const struct input_piece *piece,
    uint64_t *seq);

/* Write only pieces of this turn from now on; 0: all, in their order. */
void input_give_turn(struct input *in, uint64_t turn);

/* Forget those of the turn that wait; whether all of them were whole. */
bool input_drop(struct input *in, uint64_t turn);

/*
 * An answer of the engine to the program; it pauses the engine when there is
 * no room for more.  input_replied then says how far the engine was fed, and
 * writes.
 */
void input_reply(struct input *in, const char *p, size_t len);
void input_replied(struct input *in, uint64_t fed);

/* Whether no output may be taken because questions in it could not be answered
 * now.  intake_again is called when that is over. */
bool input_is_full(const struct input *in);

/* Nobody reads answers any more, or again. */
void input_mute(struct input *in, bool mute);

/* How many bytes of such answers were written so far. */
uint64_t input_answers_written(const struct input *in);

/* Whether only the length of what would be typed now would be logged. */
bool input_is_secret(const struct input *in);

/* Whether the engine has answered where the cursor is in the last seconds. */
bool input_cpr_answered(const struct input *in);

/*
 * Whether the terminal has taken all that was typed.  Answers that the next
 * host finds in the ring do not count.
 */
bool input_is_empty(const struct input *in);

/* The program has ended: what waits is refused. */
void input_end(struct input *in);

#endif
