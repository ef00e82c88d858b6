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

#define SILENCE_MS 1000 /* in which a shell would have marked its prompt */
#define ECHO_MS 200     /* until what was typed is seen */

/*
 * What the files of a run share; the rest of the host has exec.h.  exec.c follows
 * the marks, exec_type.c decides how to type, exec_hold.c whether output is held
 * back, exec_show.c what of it is for anybody's eyes, exec_answer.c keeps the
 * output and answers, exec_pass.c hands a run over to the next host.
 */

/* What the session's own shell does, by its marks; kept in the ring. */
enum shell_at {
	AT_UNKNOWN,
	AT_PROMPT,   /* it reads a command */
	AT_COMMAND,  /* it carries one out */
	AT_BETWEEN,  /* it will show its prompt */
	AT_UNMARKED, /* it shows prompts, and marks them no more */
};

enum exec_stage {
	EXEC_NONE,
	EXEC_WAITS, /* for the prompt; nothing was typed */
	EXEC_TYPED, /* the command's output has not begun */
	EXEC_GOES,
};

/* How it is typed. */
enum exec_way {
	WAY_LINE,  /* as it is */
	WAY_PASTE, /* as it is, in brackets */
	WAY_POSIX, /* in a wrapping */
	WAY_FISH,
	WAY_ANY, /* in one that any shell understands; best effort */
};

struct exec {
	enum exec_stage stage;
	enum exec_way way;
	bool exact;              /* typed at a shell whose prompts are known */
	bool rough;              /* more than the command may have printed */
	bool doubtful;           /* somebody has typed Ctrl-C since */
	bool again;              /* it was waited for a fork's end */
	char key[MARK_KEY_SIZE]; /* of its marks */
	uint64_t chance;         /* which that is made of, if it is its own */
	uint64_t client, id;     /* who waits; client 0: nobody any more */
	char *command;
	char once[129]; /* the key of its request; "": none */
	int script_fd;  /* what the shell is told to read; -1: nothing */
	uint64_t event; /* seq of its beginning in the log */
	struct buf output;
	uint64_t total;    /* bytes of it, kept or not */
	uint64_t from, to; /* where it is in the stream */
};

/* Why output is held back. */
enum exec_hold_why {
	HOLD_NOTHING, /* it is not */
	HOLD_ECHO,    /* it may be the echo of a wrapping */
	HOLD_MARK,    /* it may be the beginning of a wrapping's mark */
};

/* For exec_hold.c to change, and nobody else. */
struct exec_hold {
	enum exec_hold_why why;
	uint64_t from;    /* ECHO: where it may begin */
	struct buf typed; /* ECHO: the text of what was typed, if it is short */
	bool begun;       /* ECHO: some of that has been seen, or may be */
	bool entered;     /* ECHO: and the Enter at its end */
	bool keyed;       /* ECHO: and the key of the run in it */
	struct watch *end; /* but not for long */
	int64_t until_ms;  /* and in no case longer */
	bool yielded;      /* time was over, and output looked at first */
	bool impatient;    /* that time is over */
};

struct execs {
	struct session *session;
	struct server *server;
	struct input *input;
	struct mark_scan scan; /* of what was shown */
	struct {
		struct mark_scan scan;
		struct mark mark;
		bool found;
		size_t len;
	} next; /* what the pump was told of what comes after that */

	enum shell_kind shell; /* the session's own */
	enum shell_at at;
	unsigned prompt_row, prompt_col; /* the cursor when it was shown */
	struct buf bare;       /* its row, if nothing is typed there */
	bool typed;            /* something was, since then */
	bool entered;          /* with Enter */
	bool ahead;            /* and more, for the next prompt */
	int64_t typed_ms;      /* when last, */
	uint64_t typed_at;     /* and what was shown then */
	bool mute;             /* it ends commands without a D */
	struct watch *silence; /* whether a prompt has come without a mark */
	int fork_fd;           /* of a fork of the shell that is waited for; */
	struct watch *fork;    /* -1, NULL: there is none */

	struct buf other_prompt; /* of a shell that marks nothing, its last */
	unsigned other_col;      /* line, and where the cursor was then */

	struct exec run;
	struct watch *limit; /* of who waits */

	struct exec_hold hold;

	struct watch *interrupts; /* until the prompt is back */
	unsigned interrupts_left;
};

/* How a run has ended. */
struct exec_result {
	const char *outcome;
	int code;  /* -1: not known */
	int signo; /* 0: none */
	uint64_t seq;
};

/* Whether marks are of interest at all. */
bool exec_is_followed(const struct execs *r);

/* Whether it is typed in a wrapping, which prints marks of its own. */
bool exec_is_wrapped(const struct exec *u);

void exec_set_at(struct execs *r, enum shell_at at);

/* Whether the session's own shell is in the foreground, and no program. */
bool exec_shell_is_in_front(const struct execs *r);

/* Whether that is at a prompt which it has not marked. */
bool exec_shell_is_unmarked(const struct execs *r);

/* Whether the prompt stands there again at which it was typed without marks. */
bool exec_prompt_is_back(const struct execs *r);

/* Its key, of `chance` or the shell's. */
void exec_set_key(struct execs *r, uint64_t chance);

/*
 * What the next host has to know of it is to be found in the ring.  There
 * nobody waits for it, but its end is seen and logged, and its own marks are
 * not shown.
 */
void exec_note(const struct execs *r);
void exec_go_on(struct execs *r);

/*
 * Hold the echo of what is typed back from an offset on (NULL: another host has
 * typed it), and for longer; hold what may become a mark; a mark has come; hold
 * nothing.
 */
void exec_hold_echo(struct execs *r, uint64_t from, const struct buf *typed);
void exec_hold_on(struct execs *r);
void exec_hold_mark(struct execs *r);
void exec_hold_marked(struct execs *r);
void exec_hold_drop(struct execs *r);
bool exec_holds(const struct execs *r, enum exec_hold_why why);
void exec_hold_init(struct execs *r);
void exec_hold_finish(struct execs *r);

/*
 * Bytes at hold.from that have no mark in them: how many cannot be the echo,
 * because whole lines come before its beginning.
 */
size_t exec_hold_look(struct execs *r, const uint8_t *p, size_t len);

/* Wait for no fork any more. */
void exec_drop_fork(struct execs *r);

/* Decide how, and type; or wait for the prompt.  0, or -errno and why not. */
int exec_start(struct execs *r, struct connection *c, struct error *err);

/* A mark was shown, or was not for anybody's eyes; it ends at this offset. */
void exec_on_mark(struct execs *r, const struct mark *m, uint64_t end,
    uint64_t seq);

/* "exact" or "best-effort". */
const char *exec_capture_name(const struct exec *u);

/*
 * Output of the command: keep it, take its last bytes back, forget all; or keep
 * only what a shell printed when it refused the command.
 */
void exec_capture(struct exec *u, const uint8_t *p, size_t len);
void exec_uncapture(struct exec *u, size_t len);

/* With `set -v` bash has shown what tells us the status: take that back. */
void exec_uncapture_verbose(struct exec *u);
void exec_forget_output(struct exec *u);
void exec_keep_refusal(struct exec *u);

/* Tell who waits, if anybody does: the result so far, or why there is none. */
struct connection *exec_who_waits(const struct execs *r);
void exec_answer(struct execs *r, const struct exec_result *x);
void exec_refuse(struct execs *r, const struct error *err);

/* It is over: log it, and answer; or only forget it. */
void exec_finish(struct execs *r, struct exec_result x);
void exec_clear(struct execs *r);

#endif
