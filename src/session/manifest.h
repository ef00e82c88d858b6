#ifndef TEND_SESSION_MANIFEST_H
#define TEND_SESSION_MANIFEST_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "session/status.h"

struct buf;
struct error;
struct json_out;

/*
 * session.json: what a session is and what became of it.  `tend` writes it
 * before the session starts, from then on only its host does, by renaming a
 * new file over it; whoever has no host any more may write the end.
 */
#define MANIFEST_LABELS_MAX 64
#define MANIFEST_SCROLLBACK_MAX 20000
#define MANIFEST_MAX (256u << 10) /* bytes of the file */
#define LABEL_KEY_MAX 64
#define LABEL_VALUE_MAX 256
#define LAST_LINE_SIZE 201
#define MANIFEST_CREATORS_MAX 16
#define TITLE_SIZE 201
#define NOTICE_TEXT_SIZE 201

struct label {
	char *key, *value;
};

struct process {
	pid_t pid;      /* 0: none */
	uint64_t start; /* clock ticks since boot: tells a reused pid */
};

/* What a program says that it is doing (OSC 7501); not to be believed. */
struct said {
	char state[12]; /* "": nothing */
	char kind[12];  /* or "" */
	char app[33];   /* or "" */
	char *text;     /* or NULL */
	int64_t since_ms;
};

/* What a program did to be noticed.  The texts are its own: do not trust them. */
struct notices {
	uint64_t bells;
	int64_t bell_ms; /* since 1970, of the last one; 0: none */
	uint64_t count;  /* notifications (OSC 9, 99, 777) */
	int64_t ms;      /* of the last one; 0: none */
	char title[NOTICE_TEXT_SIZE], text[NOTICE_TEXT_SIZE]; /* its own */
};

/* A client that watches a session; all texts are borrowed. */
struct manifest_viewer {
	uint64_t client;       /* number of its connection */
	const char *principal; /* "": none beside the peer */
	const char *verified;  /* or "" */
	const char *peer;
	bool readonly;
	int64_t since_ms; /* since 1970 */
};
#define MANIFEST_VIEWERS_MAX 64 /* that are listed */

struct manifest {
	char id[27];
	char name[256];
	enum status status;
	enum outcome outcome;
	char **command; /* NULL-terminated */
	char *cwd;
	struct label *labels;
	size_t n_labels;
	uint16_t cols, rows;
	int64_t created_ms; /* since 1970 */
	int64_t ended_ms;   /* 0: not yet */
	bool has_exit;
	int exit_code;   /* -1 when a signal ended it */
	int exit_signal; /* 0: none */
	struct process keeper, host, child;
	uint64_t dir_dev, dir_ino; /* of its directory; 0: not known */
	char boot_id[40];
	uint64_t began_ns; /* CLOCK_BOOTTIME */
	enum input_policy input;
	enum size_policy size;
	enum log_input log_input;
	bool durable;
	bool forget_env;      /* its environment is not to be kept */
	uint32_t environ_crc; /* of its file environ; 0: not known */
	bool no_integration;  /* its shell is to be left alone */
	char shell[8];        /* which one marks its prompts, or "" */
	char shell_key[33];   /* by which those marks are known */
	uint64_t max_log;
	uint32_t idle_timeout_s; /* 0: none */
	uint32_t linger_ms;
	uint32_t scrollback; /* lines that the screen keeps above it */
	uint64_t seq, offset, log_bytes;    /* when it was written */
	uint64_t logged_seq, logged_offset; /* the log had for certain then */
	uint32_t log_newest; /* number of its newest segment; 0: not known */
	char *post_mortem;   /* artifacts/... or NULL (B-44) */
	char *degraded;      /* why, or NULL */
	uint64_t memory_max; /* bytes; 0: no limit */
	uint32_t pids_max, cpu_weight; /* 0: none */
	char *cgroup;                  /* its scope (scope.h), or NULL */
	char *unenforced; /* which limits are not held and why, or NULL */
	bool raw;         /* without an engine: no screen */
	enum restart_policy restart;
	uint32_t restarts;      /* so far */
	uint32_t quick_ends;    /* in a row, without living for a minute */
	uint64_t restart_start; /* start of the program they count to */
	char *gave_up;          /* why it is not started again, or NULL */
	char rerun_of[27];      /* the session before it, or "" */
	bool confined;          /* see confinement.h */
	char **may;             /* its grants; NULL: none */
	char **created_by; /* ids of the sessions it was created in, or NULL */
	bool unkept;
	char last_line[LAST_LINE_SIZE]; /* of the screen, for listings */
	struct said said;               /* as of the present host */
	char title[TITLE_SIZE];         /* of the terminal, for listings */
	struct notices notices;
	int observers; /* how many were attached when it was written; -1 */
	/* Not in the file: */
	bool unlogged; /* the log is behind now */
	/* Who has the right to type now, as the host knows; borrowed, or NULL. */
	const char *lease_holder;
	/* Who watches now, likewise; NULL when the host was not asked. */
	const struct manifest_viewer *viewers;
	size_t n_viewers;
	bool elsewhere; /* it was read in another directory than it names */
	bool copied;    /* reconciled: and what it tells of runs there */
	bool suspect;   /* its checksum is wrong: some of it may be */
	char shadow
	    [27]; /* a newer one may have been meant: its file is damaged */
};

void manifest_init(struct manifest *m);
void manifest_finish(struct manifest *m);

/*
 * m need not have been initialised; it must own nothing.  After a failure it
 * is as manifest_init leaves it.  -ENOENT: no session was ever started there.
 * -EBADMSG: the file is damaged.  One that can be read but has another checksum
 * than it says is `suspect`.
 */
int manifest_read(int dirfd, struct manifest *m, struct error *err);
/*
 * Written whole or not at all, also when the power fails: then it is this one
 * or, without `sync`, one before; without any before it, perhaps none.
 */
int manifest_write(int dirfd, const struct manifest *m, bool sync,
    struct error *err);
/* The same with what manifest_format has made. */
int manifest_write_text(int dirfd, const struct buf *text, bool sync,
    struct error *err);

/* Its directory has this name; a file that says otherwise is suspect. */
void manifest_believe_id(struct manifest *m, const char *id);

/* Remember which directory it is written for. */
int manifest_set_dir(struct manifest *m, int dirfd);

/* The pure halves, for tests and fuzzers. */
int manifest_parse(const char *p, size_t len, struct manifest *m,
    struct error *err);
int manifest_format(const struct manifest *m, struct buf *out);

/*
 * What a session is started with anew, without what became of it: command,
 * directory, name, size, labels and settings.  to owns nothing before.
 */
void manifest_copy_plan(struct manifest *to, const struct manifest *from);

int manifest_set_label(struct manifest *m, const char *key, const char *value,
    struct error *err); /* value NULL removes */

/* Whether it could be one; and its value, or NULL when it is not set. */
int manifest_check_label(const char *key, const char *value, struct error *err);
const char *manifest_label(const struct manifest *m, const char *key);

/*
 * What is true now: after a reboot, or when keeper and host are gone, a session
 * that should have a host has exited and is lost; so is the copy of one, however
 * well that is.  Changes status and outcome
 * accordingly and tells whether it did.  A pid of keeper or host is 0
 * afterwards when it is not running; with a host alone, the session is unkept.
 */
bool manifest_reconcile(struct manifest *m);
/* The same for who looks at many and has asked for the boot's id once. */
bool manifest_reconcile_in(struct manifest *m, const char *boot);

/*
 * Read it and reconcile it: what manifest_read returns.  A session whose host
 * has written its end and gone, just after its file was read, is not taken for
 * a lost one.
 */
int manifest_read_now(int dirfd, struct manifest *m, struct error *err);
int manifest_read_in(int dirfd, struct manifest *m, const char *boot,
    struct error *err);

/*
 * Replace a list of strings by a copy of n of them; n 0: by NULL.  The new ones
 * may be some of the old.
 */
void manifest_set_list(char ***list, const char *const *from, size_t n);

/* The session object of --json, docs/session.md; `observers` -1: unknown. */
void manifest_json(const struct manifest *m, int observers, struct json_out *j);

/* Its `program_status`: an object, or null when there is nothing to say. */
void manifest_said_json(const struct manifest *m, struct json_out *j);

/* This boot's id, as /proc gives it. */
int boot_id(char out[40]);

#endif
