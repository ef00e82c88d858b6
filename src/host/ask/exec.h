#ifndef TEND_HOST_ASK_EXEC_H
#define TEND_HOST_ASK_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct connection;
struct error;
struct input;
struct server;
struct session;

/*
 * What the shells of a session tell of their commands (shell/mark.h), and the
 * waited run: a command that is typed at the prompt, whose output and status
 * are read between the marks (session.exec, K-07).
 *
 * A shell that marks its own prompts (session/integrate.h) is typed at when it
 * shows one, and what it prints between C and D is exactly the output.  Any
 * other shell, behind ssh for example, gets the command in a wrapping that
 * prints marks of its own (shell/typing.h).  What such a shell echoes of the
 * wrapping is held back, neither shown nor logged, until the first mark has
 * come; then those bytes become as many NULs in the ring, and the wrapping's
 * marks such as any shell prints, so that nobody ever gets them: not the
 * engine, nor viewers, nor the log.
 * They are shown as they are when the shell shows its prompt in place of the
 * mark, when the program ends, and when EXEC_HOLD_MS have passed since the Enter
 * was echoed, or EXEC_HOLD_BYTES have come without our key in them.  A shell that
 * is slow to echo has EXEC_ECHO_MS.  Lines that come before the echo begins are
 * not held back.
 *
 * One run at a time; another is refused (busy).  Whoever asked may go away or
 * stop waiting, and the run goes on; its end is logged in any case, by another
 * host if need be.
 */
#define EXEC_OUTPUT_DEFAULT (1u << 20)
#define EXEC_HOLD_MS 3000
#define EXEC_ECHO_MS 15000
#define EXEC_HOLD_BYTES (32u << 10)

struct execs;

struct execs *execs_create(struct session *session, struct server *server,
    struct input *input);
void execs_destroy(struct execs *r); /* NULL is fine */

struct exec_request {
	struct connection *client;
	uint64_t id; /* of its request */
	const char *command;
	const char *key;     /* for at most once; "": none */
	uint64_t timeout_ms; /* 0: none */
	size_t max_output;
};

/*
 * Type a command, now or when the shell shows its prompt, and answer the
 * request when it has ended.  0, or -errno and why, with nothing typed.
 */
int execs_begin(struct execs *r, const struct exec_request *q,
    struct error *err);

/*
 * Whether there is a reason to hold output back.  The pump asks before it leaves
 * bytes in the ring, so that none stay there longer than the reason for it.
 */
bool execs_hold(const struct execs *r);

/*
 * The pump: bytes that are about to be shown.  How many of them may be, as one
 * piece; 0 when more must come first.  With *hidden they were made NULs.
 */
size_t execs_look(struct execs *r, uint8_t *p, size_t len, bool *hidden);

/* They were shown, at session->display.shown - len, and are in this event. */
void execs_shown(struct execs *r, const uint8_t *p, size_t len, bool hidden,
    uint64_t seq);

/*
 * What is on the screen is a frame.  A shell that marks nothing and was typed
 * a Ctrl-C has given the command up when its prompt is there again.
 */
void execs_frame(struct execs *r);

/*
 * Somebody has typed something.  After a Ctrl-C that a shell does not answer
 * with its prompt nobody can tell whether it still carries the command out: the
 * next may be typed.
 */
void execs_typed(struct execs *r, const uint8_t *p, size_t len);

/*
 * Another host, which could not answer, should not follow while somebody waits
 * for a run; if it does, that connection is told.
 */
bool execs_are_awaited(const struct execs *r);
void execs_leave(struct execs *r, uint64_t client);

/* The program has ended, or ended and is started again. */
void execs_ended(struct execs *r);

#endif
