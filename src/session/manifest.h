#ifndef TEND_SESSION_MANIFEST_H
#define TEND_SESSION_MANIFEST_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "op/activity.h"
#include "session/status.h"

struct buf;
struct error;
struct json_out;

/*
 * session.json: a session's settings, state and outcome.  `tend` writes it
 * before the session starts.  After that only the session's host writes it, by
 * renaming a new file over it.  For a session without a host, any process of
 * the owner may write the end.
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
	uint64_t start; /* clock ticks since boot: detects a reused pid */
};

/* A program's report of its own state (OSC 7501); not trustworthy. */
struct said {
	char state[12]; /* "": nothing */
	char kind[12];  /* or "" */
	char app[33];   /* or "" */
	char *text;     /* or NULL */
	int64_t since_ms;
};

/*
 * The coding agent in a session, and what it does as far as the host can tell
 * (host/agent/agent_watch.h).
 */
struct manifest_agent {
	char name[33];    /* of its profile; "": there is no agent */
	char version[33]; /* or "" */
	enum activity activity;
	char source[9], confidence[9]; /* of the evidence */
	char why[257];                 /* the evidence in words */
	int64_t since_ms;              /* since 1970; 0: unknown */
};

/*
 * A program's requests for attention.  It wrote the texts itself: do not trust
 * them.
 */
struct notices {
	uint64_t bells;
	int64_t bell_ms; /* since 1970, of the last one; 0: none */
	uint64_t count;  /* notifications (OSC 9, 99, 777) */
	int64_t ms;      /* of the last one; 0: none */
	char title[NOTICE_TEXT_SIZE],
	    text[NOTICE_TEXT_SIZE]; /* by the program */
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
#define MANIFEST_VIEWERS_MAX 64 /* listed at most */

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
	uint64_t dir_dev, dir_ino; /* of its directory; 0: unknown */
	char boot_id[40];
	uint64_t began_ns; /* CLOCK_BOOTTIME */
	enum input_policy input;
	enum size_policy size;
	enum log_input log_input;
	bool durable;
	bool forget_env;      /* do not keep its environment */
	uint32_t environ_crc; /* of its file environ; 0: unknown */
	bool no_integration;  /* leave its shell unchanged */
	char shell[8];        /* the integrated shell, or "" */
	char shell_key[33];   /* the key of its prompt marks */
	uint64_t max_log;
	uint32_t idle_timeout_s; /* 0: none */
	uint32_t linger_ms;
	uint32_t scrollback;                /* lines */
	uint64_t seq, offset, log_bytes;    /* at the time of writing */
	uint64_t logged_seq, logged_offset; /* surely in the log then */
	uint32_t log_newest; /* number of its newest segment; 0: unknown */
	char *post_mortem;   /* artifacts/... or NULL (B-44) */
	char *degraded;      /* why, or NULL */
	uint64_t memory_max; /* bytes; 0: no limit */
	uint32_t pids_max, cpu_weight; /* 0: none */
	char *cgroup;                  /* its scope (scope.h), or NULL */
	char *unenforced; /* limits not enforced and why, or NULL */
	bool raw;         /* without an engine: no screen */
	enum restart_policy restart;
	uint32_t restarts;      /* so far */
	uint32_t quick_ends;    /* in a row, each after less than a minute */
	uint64_t restart_start; /* start time of the program they count for */
	char *gave_up;          /* why it is not restarted, or NULL */
	char rerun_of[27];      /* id of the session it repeats, or "" */
	bool confined;          /* see confinement.h */
	char **may;             /* its grants; NULL: none */
	char **created_by;      /* ids of the sessions it was created in */
	bool unkept;
	char last_line[LAST_LINE_SIZE]; /* of the screen, for listings */
	struct said said;               /* by the present host */
	struct manifest_agent agent;    /* likewise */
	char title[TITLE_SIZE];         /* of the terminal, for listings */
	struct notices notices;
	int observers; /* attached at the time of writing; -1: unknown */
	/* Not in the file: */
	bool unlogged; /* the log lags behind now */
	/*
	 * The client that holds the lease now, from the host; borrowed, or
	 * NULL.
	 */
	const char *lease_holder;
	/*
	 * The viewers now, from the host; borrowed, or NULL if the host was
	 * not asked.
	 */
	const struct manifest_viewer *viewers;
	size_t n_viewers;
	bool elsewhere;  /* read in another directory than it names */
	bool copied;     /* reconciled: a copy; the original runs elsewhere */
	bool suspect;    /* wrong checksum: its content may be wrong */
	char shadow[27]; /* newer, damaged, perhaps meant; or "" */
};

void manifest_init(struct manifest *m);
void manifest_finish(struct manifest *m);

/*
 * Read session.json.  m need not be initialised, but must own nothing.  After
 * a failure it is as manifest_init leaves it.  -ENOENT: no session was ever
 * started there.  -EBADMSG: the file is damaged.  A readable file with a wrong
 * checksum sets `suspect`.
 */
int manifest_read(int dirfd, struct manifest *m, struct error *err);
/*
 * Replace the file in one step.  After a power failure it is this one or,
 * without `sync`, an earlier one; if there was no earlier one, it may be
 * missing.
 */
int manifest_write(int dirfd, const struct manifest *m, bool sync,
    struct error *err);
/* The same with the text that manifest_format made. */
int manifest_write_text(int dirfd, const struct buf *text, bool sync,
    struct error *err);

/* The directory's name is the id; a file with another id becomes suspect. */
void manifest_believe_id(struct manifest *m, const char *id);

/* Remember the directory that the manifest is written for. */
int manifest_set_dir(struct manifest *m, int dirfd);

/* The pure halves, for tests and fuzzers. */
int manifest_parse(const char *p, size_t len, struct manifest *m,
    struct error *err);
int manifest_format(const struct manifest *m, struct buf *out);

/*
 * Copy the settings for starting a session again: command, directory, name,
 * size, labels and options, but no results.  to must own nothing.
 */
void manifest_copy_plan(struct manifest *to, const struct manifest *from);

int manifest_set_label(struct manifest *m, const char *key, const char *value,
    struct error *err); /* value NULL removes */

/*
 * manifest_check_label: 0 if the label is valid.  manifest_label: its value,
 * or NULL if it is not set.
 */
int manifest_check_label(const char *key, const char *value, struct error *err);
const char *manifest_label(const struct manifest *m, const char *key);

/*
 * Correct a manifest by the processes that run now.  After a reboot, or if
 * keeper and host are gone, a session that should have a host becomes exited
 * and lost.  So does a copy, even if the original runs.  Return true if status
 * or outcome changed.  A keeper or host pid becomes 0 if it is not running; a
 * session with a host alone is unkept.
 */
bool manifest_reconcile(struct manifest *m);

/*
 * Read and reconcile; returns what manifest_read returns.  If the host ends
 * the session and exits just after the file was read, this does not report the
 * session as lost.
 */
int manifest_read_now(int dirfd, struct manifest *m, struct error *err);
int manifest_read_in(int dirfd, struct manifest *m, const char *boot,
    struct error *err);

/*
 * Replace a list of strings by a copy of n strings, or by NULL if n is 0.  The
 * new strings may be part of the old list.
 */
void manifest_set_list(char ***list, const char *const *from, size_t n);

/* The session object of --json, docs/session.md. */
void manifest_json(const struct manifest *m, struct json_out *j);

/* The member `program_status`: an object, or null if nothing was reported. */
void manifest_said_json(const struct manifest *m, struct json_out *j);

/* The members `agent`, `activity` and `evidence`, and each by itself. */
void manifest_put_agent(const struct manifest *m, struct json_out *j);
void manifest_agent_json(const struct manifest *m, struct json_out *j);
void manifest_evidence_json(const struct manifest *m, struct json_out *j);
enum activity manifest_activity(const struct manifest *m);

/* The id of this boot, from /proc. */
int boot_id(char out[40]);

#endif
