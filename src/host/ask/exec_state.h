#ifndef TEND_HOST_ASK_EXEC_STATE_H
#define TEND_HOST_ASK_EXEC_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "host/ask/exec.h"
#include "shell/integration.h"
#include "shell/mark.h"

struct connection;
struct error;
struct input;
struct server;
struct session;
struct watch;

#define SILENCE_MS 1000 /* time for a shell to mark its prompt */
#define ECHO_MS 200     /* time for typed text to appear */

/*
 * State that the exec files share; the rest of the host uses exec.h.  exec.c
 * follows the marks, exec_type.c decides how to type, exec_hold.c decides
 * whether output is held back, exec_show.c hides wrappers from the output,
 * exec_answer.c keeps the output and answers, exec_pass.c hands a run to the
 * next host.
 */

/* The state of the session's own shell, by its marks; kept in the ring. */
enum shell_at {
	AT_UNKNOWN,
	AT_PROMPT,   /* reads a command */
	AT_COMMAND,  /* runs a command */
	AT_BETWEEN,  /* will show its prompt */
	AT_UNMARKED, /* shows prompts but no longer marks them */
};

enum exec_stage {
	EXEC_NONE,
	EXEC_WAITS, /* waits for the prompt; nothing is typed yet */
	EXEC_TYPED, /* output has not begun */
	EXEC_GOES,
};

/* The form in which a command is typed. */
enum exec_way {
	WAY_LINE,  /* unchanged */
	WAY_PASTE, /* unchanged, as a bracketed paste */
	WAY_POSIX, /* in a wrapper */
	WAY_FISH,
	WAY_ANY, /* in a wrapper for any shell; best effort */
};

struct exec {
	enum exec_stage stage;
	enum exec_way way;
	bool exact;              /* the shell's prompts are known */
	bool rough;              /* output may not be the command's alone */
	bool doubtful;           /* Ctrl-C was typed since */
	bool again;              /* retried after a fork ended */
	char key[MARK_KEY_SIZE]; /* in its marks */
	uint64_t chance;         /* random number behind its own key */
	uint64_t client, id;     /* the waiting request; client 0: none */
	char *command;
	char once[129]; /* at-most-once key; "": none */
	int script_fd;  /* script for the shell; -1: none */
	uint64_t event; /* seq of its start in the log */
	struct buf output;
	uint64_t total;    /* bytes of output, kept or not */
	uint64_t from, to; /* offsets of the output */
};

/* The reason to hold output back. */
enum exec_hold_why {
	HOLD_NOTHING, /* not held */
	HOLD_ECHO,    /* may be the echo of a wrapper */
	HOLD_MARK,    /* may be the start of a wrapper's mark */
};

/* Only exec_hold.c changes this. */
struct exec_hold {
	enum exec_hold_why why;
	uint64_t from;     /* ECHO: where it may begin */
	struct buf typed;  /* ECHO: the typed text, if short */
	bool begun;        /* ECHO: its beginning was seen, or may be */
	bool entered;      /* ECHO: the final Enter was seen */
	bool keyed;        /* ECHO: the key of the run was seen */
	struct watch *end; /* timer that ends the hold */
	int64_t until_ms;  /* latest end of the hold */
	bool yielded;      /* time is up, but pending output goes first */
	bool impatient;    /* time is up */
};

struct execs {
	struct session *session;
	struct server *server;
	struct input *input;
	struct mark_scan scan; /* of shown output */
	struct {
		struct mark_scan scan;
		struct mark mark;
		bool found;
		size_t len;
	} next; /* what execs_look found behind the shown output */

	enum shell_kind shell; /* of the session itself */
	enum shell_at at;
	unsigned prompt_row, prompt_col; /* cursor when the prompt was shown */
	struct buf bare;                 /* prompt row while nothing is typed */
	bool typed;                      /* input since the prompt */
	bool entered;                    /* input with Enter */
	bool ahead;                      /* typed ahead for the next prompt */
	int64_t typed_ms;                /* time of the last input */
	uint64_t typed_at;               /* output shown at that time */
	bool mute;                       /* ends commands without a D */
	struct watch *silence;           /* timer: a prompt without a mark? */
	int fork_fd;        /* pidfd of a fork of the shell that we */
	struct watch *fork; /* wait for; -1, NULL: none */

	struct buf other_prompt; /* last line of a shell without marks */
	unsigned other_col;      /* and the cursor's column then */

	struct exec run;
	struct watch *limit; /* timeout of the client */

	struct exec_hold hold;

	struct watch *interrupts; /* timer, until the prompt is back */
	unsigned interrupts_left;
};

/* The result of a run. */
struct exec_result {
	const char *outcome;
	int code;  /* -1: unknown */
	int signo; /* 0: none */
	uint64_t seq;
};

/* True if marks matter at all. */
bool exec_is_followed(const struct execs *r);

/* True if the command is typed in a wrapper, which prints marks of its own. */
bool exec_is_wrapped(const struct exec *u);

void exec_set_at(struct execs *r, enum shell_at at);

/* True if the session's own shell is in the foreground. */
bool exec_shell_is_in_front(const struct execs *r);

/* True if the session's own shell is at a prompt that it has not marked. */
bool exec_shell_is_unmarked(const struct execs *r);

/* True if the unmarked prompt is back at which the command was typed. */
bool exec_prompt_is_back(const struct execs *r);

/* Set the key of the run, from `chance` or from the shell. */
void exec_set_key(struct execs *r, uint64_t chance);

/*
 * exec_note stores the run in the ring for the next host; exec_go_on continues
 * it there.  The next host has no client to answer, but it sees and logs the
 * end of the run and hides its marks.
 */
void exec_note(const struct execs *r);
void exec_go_on(struct execs *r);

/*
 * exec_hold_echo holds the echo of typed text back, from an offset on (typed
 * NULL: an earlier host typed it); exec_hold_on prolongs that.  exec_hold_mark
 * holds bytes that may become a mark; exec_hold_marked: the mark has come.
 * exec_hold_drop holds nothing any more.
 */
void exec_hold_echo(struct execs *r, uint64_t from, const struct buf *typed);
void exec_hold_on(struct execs *r);
void exec_hold_mark(struct execs *r);
void exec_hold_marked(struct execs *r);
void exec_hold_drop(struct execs *r);
void exec_hold_init(struct execs *r);
void exec_hold_finish(struct execs *r);

/*
 * For bytes at hold.from without a mark: returns how many cannot be echo
 * because they are whole lines before its beginning.
 */
size_t exec_hold_look(struct execs *r, const uint8_t *p, size_t len);

/* Stop waiting for a fork. */
void exec_drop_fork(struct execs *r);

/*
 * Decide how to type, and type; or wait for the prompt.  Returns 0, or -errno
 * and the reason.
 */
int exec_start(struct execs *r, struct connection *c, struct error *err);

/* A mark was shown or hidden; it ends at this offset. */
void exec_on_mark(struct execs *r, const struct mark *m, uint64_t end,
    uint64_t seq);

/* "exact" or "best-effort". */
const char *exec_capture_name(const struct exec *u);

/*
 * The output of the command: exec_capture keeps bytes, exec_uncapture removes
 * the last ones.
 */
void exec_capture(struct exec *u, const uint8_t *p, size_t len);
void exec_uncapture(struct exec *u, size_t len);

/*
 * With `set -v` bash prints the line that reports the status: remove that.
 * exec_forget_output removes all output.  exec_keep_refusal keeps only what
 * the shell printed when it refused the command.
 */
void exec_uncapture_verbose(struct exec *u);
void exec_forget_output(struct exec *u);
void exec_keep_refusal(struct exec *u);

/*
 * The client that waits, or NULL; answer it with the result so far, or refuse
 * it.
 */
struct connection *exec_who_waits(const struct execs *r);
void exec_answer(struct execs *r, const struct exec_result *x);
void exec_refuse(struct execs *r, const struct error *err);

/* exec_finish logs the end and answers; exec_clear only forgets the run. */
void exec_finish(struct execs *r, struct exec_result x);
void exec_clear(struct execs *r);

#endif
