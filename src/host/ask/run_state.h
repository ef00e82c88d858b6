#ifndef TEND_HOST_ASK_RUN_STATE_H
#define TEND_HOST_ASK_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "host/ask/run.h"
#include "shell/integration.h"
#include "shell/mark.h"

struct client;
struct error;
struct host;
struct watch;

#define SILENCE_MS 1000 /* in which a shell would have marked its prompt */
#define ECHO_MS 200     /* until what was typed is seen */

/*
 * What the files of a run share; the rest of the host has run.h.  run.c follows
 * the marks, run_type.c decides how to type, run_hold.c whether output is held
 * back, run_show.c what of it is for anybody's eyes, run_answer.c keeps the
 * output and answers, run_pass.c hands a run over to the next host.
 */

/* What the session's own shell does, by its marks; kept in the ring. */
enum shell_at {
	AT_UNKNOWN,
	AT_PROMPT,   /* it reads a command */
	AT_COMMAND,  /* it carries one out */
	AT_BETWEEN,  /* it will show its prompt */
	AT_UNMARKED, /* it shows prompts, and marks them no more */
};

enum run_stage {
	RUN_NONE,
	RUN_WAITS, /* for the prompt; nothing was typed */
	RUN_TYPED, /* the command's output has not begun */
	RUN_GOES,
};

/* How it is typed. */
enum run_way {
	WAY_LINE,  /* as it is */
	WAY_PASTE, /* as it is, in brackets */
	WAY_POSIX, /* in a wrapping */
	WAY_FISH,
	WAY_ANY, /* in one that any shell understands; best effort */
};

struct run {
	enum run_stage stage;
	enum run_way way;
	bool exact;              /* typed at a shell whose prompts are known */
	bool rough;              /* more than the command may have printed */
	bool doubtful;           /* somebody has typed Ctrl-C since */
	bool again;              /* it was waited for a fork's end */
	char key[MARK_KEY_SIZE]; /* of its marks */
	uint64_t chance;         /* which that is made of, if it is its own */
	uint64_t client, id;     /* who waits; client 0: nobody any more */
	char *command;
	int script_fd;  /* what the shell is told to read; -1: nothing */
	uint64_t event; /* seq of its beginning in the log */
	struct buf output;
	uint64_t total;    /* bytes of it, kept or not */
	uint64_t from, to; /* where it is in the stream */
};

/* Why output is held back. */
enum run_hold_why {
	HOLD_NOTHING, /* it is not */
	HOLD_ECHO,    /* it may be the echo of a wrapping */
	HOLD_MARK,    /* it may be the beginning of a wrapping's mark */
};

/* For run_hold.c to change, and nobody else. */
struct run_hold {
	enum run_hold_why why;
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

struct runs {
	struct host *h;
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

	struct run run;
	struct watch *limit; /* of who waits */

	struct run_hold hold;

	struct watch *interrupts; /* until the prompt is back */
	unsigned interrupts_left;
};

/* How a run has ended. */
struct run_result {
	const char *outcome;
	int code;  /* -1: not known */
	int signo; /* 0: none */
	uint64_t seq;
};

/* Whether marks are of interest at all. */
bool run_is_followed(const struct runs *r);

/* Whether it is typed in a wrapping, which prints marks of its own. */
bool run_is_wrapped(const struct run *u);

void run_set_at(struct runs *r, enum shell_at at);

/* Whether the session's own shell is in the foreground, and no program. */
bool run_shell_is_in_front(const struct runs *r);

/* Whether that is at a prompt which it has not marked. */
bool run_shell_is_unmarked(const struct runs *r);

/* Whether the prompt stands there again at which it was typed without marks. */
bool run_prompt_is_back(const struct runs *r);

/* Its key, of `chance` or the shell's. */
void run_set_key(struct runs *r, uint64_t chance);

/*
 * What the next host has to know of it is to be found in the ring.  There
 * nobody waits for it, but its end is seen and logged, and its own marks are
 * not shown.
 */
void run_note(const struct runs *r);
void run_go_on(struct runs *r);

/*
 * Hold the echo of what is typed back from an offset on (NULL: another host has
 * typed it), and for longer; hold what may become a mark; a mark has come; hold
 * nothing.
 */
void run_hold_echo(struct runs *r, uint64_t from, const struct buf *typed);
void run_hold_on(struct runs *r);
void run_hold_mark(struct runs *r);
void run_hold_marked(struct runs *r);
void run_hold_drop(struct runs *r);
bool run_holds(const struct runs *r, enum run_hold_why why);
void run_hold_init(struct runs *r);
void run_hold_finish(struct runs *r);

/*
 * Bytes at hold.from that have no mark in them: how many cannot be the echo,
 * because whole lines come before its beginning.
 */
size_t run_hold_look(struct runs *r, const uint8_t *p, size_t len);

/* Wait for no fork any more. */
void run_drop_fork(struct runs *r);

/* Decide how, and type; or wait for the prompt.  0, or -errno and why not. */
int run_start(struct runs *r, struct client *c, struct error *err);

/* A mark was shown, or was not for anybody's eyes; it ends at this offset. */
void run_on_mark(struct runs *r, const struct mark *m, uint64_t end,
    uint64_t seq);

/* "exact" or "best-effort". */
const char *run_capture_name(const struct run *u);

/*
 * Output of the command: keep it, take its last bytes back, forget all; or keep
 * only what a shell printed when it refused the command.
 */
void run_capture(struct run *u, const uint8_t *p, size_t len);
void run_uncapture(struct run *u, size_t len);

/* With `set -v` bash has shown what tells us the status: take that back. */
void run_uncapture_verbose(struct run *u);
void run_forget_output(struct run *u);
void run_keep_refusal(struct run *u);

/* Tell who waits, if anybody does: the result so far, or why there is none. */
struct client *run_who_waits(const struct runs *r);
void run_answer(struct runs *r, const struct run_result *x);
void run_refuse(struct runs *r, const struct error *err);

/* It is over: log it, and answer; or only forget it. */
void run_finish(struct runs *r, struct run_result x);
void run_clear(struct runs *r);

#endif
