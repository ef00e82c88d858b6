#ifndef TEND_HOST_ASK_MESSAGE_STATE_H
#define TEND_HOST_ASK_MESSAGE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "host/ask/cursor_line.h"
#include "host/ask/message.h"
#include "host/input/witness.h"
#include "log/by.h"
#include "op/question.h"

struct execs;
struct input;
struct profile;
struct server;
struct session;
struct vt;
struct watch;

/*
 * State that the message files share; the rest of the host uses message.h.
 * message.c takes one message through its phases.  message_queue.c has their
 * order, their timer and their answers.
 */
#define MESSAGE_NEVER INT64_MAX

enum message_phase {
	PHASE_WAITING, /* for earlier messages */
	PHASE_TYPING,
	PHASE_SETTLING,
	PHASE_PAUSING,
	PHASE_SUBMITTING,
	PHASE_CONFIRMING,
	PHASE_DONE,
};

enum message_outcome {
#define OUTCOME(name, result, code, reason) OUTCOME_##name,
#include "host/ask/message_outcome.def"
};

struct message {
	struct list link;
	struct messages *all;
	uint64_t reservation;
	uint64_t client, request;
	char by[BY_SIZE];
	char key[129]; /* at-most-once key; "": none */
	const struct profile *profile;
	char *text;
	bool force; /* ignore the screen */

	enum message_phase phase;
	int64_t until_ms;  /* end of the whole message */
	int64_t due_ms;    /* next check of this phase */
	int64_t latest_ms; /* end of settling, or of one try to submit */

	uint64_t generation;   /* of the screen at the last check */
	bool secret;           /* the terminal does not echo */
	bool seen;             /* the text is on the screen */
	struct cursor_line at; /* at the beginning; later at submission */
	uint64_t commands;     /* commands begun by then */
	bool moved;            /* something happened there since */
	int tries;

	struct witness witness;
	enum question question; /* open question that blocks the message */

	uint64_t seq; /* of the submitting key; 0: none yet */
	enum message_outcome outcome;
};

struct messages {
	struct session *session;
	struct server *server;
	struct input *input;
	struct execs *execs;
	struct list queue; /* the first one is under way */
	struct watch *timer;
	bool yielded; /* time is up, but pending output goes first */
	uint64_t last_reservation;
	int mark;          /* last OSC 133 mark; 0: none */
	uint64_t commands; /* begun so far, by those marks */
};

/* The message under way, or NULL. */
struct message *messages_first(const struct messages *all);

/* The time of a message has changed. */
void messages_set_timer(struct messages *all);

/* The screen of its session; NULL: none. */
const struct vt *message_screen(const struct message *p);
int64_t message_now_ms(void);

/* Check how much input is unread. */
void message_look(struct message *p);

/* Begin once the screen is a complete frame. */
void message_begin(struct message *p);

/*
 * The first phase.  message_type types the text; message_resume finds it typed
 * already.
 */
void message_type(struct message *p);
void message_resume(struct message *p);

/* True if a key would answer a question that is open now. */
bool message_is_asked(struct message *p, const char *own);

/*
 * message_due: the time of its phase is up.  message_late: all of its time is.
 */
void message_due(struct message *p);
void message_late(struct message *p);

/*
 * End the message with this outcome.  Other clients may type again, and the
 * next message begins.
 */
void message_finish(struct message *p, enum message_outcome outcome);
void message_fail(struct message *p, int error, const char *why);

#endif
