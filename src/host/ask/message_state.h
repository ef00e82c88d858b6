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
 * What the files of prompts share; the rest of the host has message.h.
 * message.c takes one message through its phases, message_queue.c has their
 * order, their time, and what is answered.
 */
#define MESSAGE_NEVER INT64_MAX

enum message_phase {
	PHASE_WAITING, /* for those before it */
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
	uint64_t turn;
	uint64_t client, request;
	char by[BY_SIZE];
	char key[129]; /* for at most once; "": none */
	const struct profile *profile;
	char *text;
	bool force; /* whatever is on the screen */

	enum message_phase phase;
	int64_t until_ms;  /* all of it */
	int64_t due_ms;    /* when this phase looks next */
	int64_t latest_ms; /* the end of settling, or of one try to submit */

	uint64_t generation;   /* of the screen that was looked at last */
	bool secret;           /* nothing is echoed here */
	bool seen;             /* the text is on the screen */
	struct cursor_line at; /* when it was begun, later when submitted */
	uint64_t commands;     /* that had begun then */
	bool moved;            /* something has happened there since */
	int tries;

	struct witness witness;
	enum question question; /* that is open, and kept it from being done */

	uint64_t seq; /* of the key that submitted it; 0: none yet */
	enum message_outcome outcome;
};

struct messages {
	struct session *session;
	struct server *server;
	struct input *input;
	struct execs *execs;
	struct list queue; /* the first is under way */
	struct watch *timer;
	bool yielded; /* a time was over, and output was looked at first */
	uint64_t last_turn;
	int mark;          /* of OSC 133, the last; 0: none */
	uint64_t commands; /* that have begun, by those marks */
};

/* The one under way, or NULL. */
struct message *messages_first(const struct messages *all);

/* A time of one of them has changed. */
void messages_set_timer(struct messages *all);

/* The screen it is for; NULL: there is none. */
const struct vt *message_screen(const struct message *p);
int64_t message_now_ms(void);

/* Where the output ends, and look how much of the input is unread. */
uint64_t message_head(const struct message *p);
void message_look(struct message *p);

/* Begin it, once what is on the screen is a frame. */
void message_begin(struct message *p);

/* Type the text, which is the first phase; or it stands there already. */
void message_type(struct message *p);
void message_resume(struct message *p);

/* Whether a key would answer a question that is open now. */
bool message_is_asked(struct message *p, const char *own);

/* What its phase has waited for is over; or all of its time is. */
void message_due(struct message *p);
void message_late(struct message *p);

/*
 * It is over: what came of it, or why nothing could.  Others may type again,
 * and the next one begins.
 */
void message_finish(struct message *p, enum message_outcome outcome);
void message_fail(struct message *p, int error, const char *why);

#endif
