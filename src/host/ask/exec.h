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
 * Follows the commands of a session's shells by their marks (shell/mark.h),
 * and runs commands (session.exec, K-07): a command is typed at the prompt,
 * and its output and exit status are read between the marks.
 *
 * If the shell marks its own prompts (session/integrate.h), the command is
 * typed when a prompt is shown, and the output is exactly the bytes between C
 * and D.  Any other shell, for example one behind ssh, gets the command in a
 * wrapper that prints marks of its own (shell/typing.h).  The echo of the
 * wrapper is held back, neither shown nor logged, until the first mark
 * arrives.  Then its bytes are replaced by NULs in the ring, and the wrapper's
 * marks by marks that any shell prints.  So the engine, the viewers and the
 * log never get them.
 *
 * The held bytes are shown unchanged when the shell shows its prompt instead
 * of the mark, when the program ends, EXEC_HOLD_MS after the Enter was echoed,
 * or after EXEC_HOLD_BYTES without our key.  A shell has EXEC_ECHO_MS to begin
 * its echo.  Lines before the echo are not held back.
 *
 * One command runs at a time; another is refused (busy).  The command keeps
 * running when the client disconnects or stops waiting.  Its end is always
 * logged, if necessary by the next host.
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
	uint64_t id; /* of the request */
	const char *command;
	const char *key;     /* at-most-once key; "": none */
	uint64_t timeout_ms; /* 0: none */
	size_t max_output;
};

/*
 * Type a command, now or at the next prompt, and answer the request when the
 * command has ended.  Returns 0, or -errno and the reason; then nothing was
 * typed.
 */
int execs_begin(struct execs *r, const struct exec_request *q,
    struct error *err);

/*
 * True if output must be held back.  The pump asks before it leaves bytes in
 * the ring, so that none stay there longer than necessary.
 */
bool execs_hold(const struct execs *r);

/*
 * Called by the pump with bytes that are about to be shown.  Returns how many
 * may be shown as one piece; 0 if more bytes must come first.  Sets *hidden if
 * the bytes were replaced by NULs.
 */
size_t execs_look(struct execs *r, uint8_t *p, size_t len, bool *hidden);

/*
 * The bytes were shown, at session->display.shown - len, as part of event seq.
 */
void execs_shown(struct execs *r, const uint8_t *p, size_t len, bool hidden,
    uint64_t seq);

/*
 * The screen is a complete frame.  If Ctrl-C was typed at a shell without
 * marks and its prompt is back, the shell has given up the command.
 */
void execs_frame(struct execs *r);

/*
 * A client has typed.  If a shell does not show its prompt after a Ctrl-C,
 * tend cannot tell whether the command still runs, and allows the next one.
 */
void execs_typed(struct execs *r, const uint8_t *p, size_t len);

/*
 * True while a client waits for a command, or may ask for its answer again with
 * the key.  Only this host can answer, so it should not be replaced then.  execs_leave tells a client that it was
 * replaced.
 */
bool execs_are_awaited(const struct execs *r);
void execs_leave(struct execs *r, uint64_t client);

/* The program has ended; it may be started again. */
void execs_ended(struct execs *r);

#endif
