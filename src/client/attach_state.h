#ifndef TEND_CLIENT_ATTACH_STATE_H
#define TEND_CLIENT_ATTACH_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "client/attach.h"
#include "client/conn.h"
#include "client/entry.h"
#include "client/farewell.h"
#include "client/help.h"
#include "client/keys.h"
#include "client/mirror.h"
#include "client/probe.h"
#include "client/scrollback_mode.h"
#include "client/term.h"
#include "client/view.h"

/*
 * State shared by the parts of attaching; only these include it.
 *
 *	attach.c	the turns, signals, beginning and end
 *	attach_host.c	the connection, its frames, and its loss
 *	attach_greet.c	the greeting, and notices for read-only viewers
 *	attach_user.c	commands, the terminal's input
 *	attach_request.c	requests to the host
 *	attach_page.c	history, help, and lines typed for tend
 *	attach_end.c	the end and its message
 */
#define ATTACH_BEHIND (256u << 10) /* unwritten: the terminal is behind */

enum ending { GOING_ON, DETACHED, HUNG_UP, ENDED, FAILED };

struct attach {
	const struct attach_options *options;
	int dirfd;
	uint64_t who; /* identifies us to the host on all connections */
	struct term term;
	struct probe probe;
	struct keys keys;
	bool inner; /* an outer session has the same prefix */
	struct mirror mirror;
	struct view view;
	char name[ENTRY_MAX];          /* the session's, as far as known */
	char given[ENTRY_MAX];         /* the name last sent to the host */
	struct scrollback_mode reader; /* of the history, while it is open */
	struct help help;
	bool helping; /* the help is shown */
	struct entry entry;
	/* Called with the typed line; NULL: no line is being typed. */
	void (*entered)(struct attach *a, const char *text);
	struct conn conn;
	bool connected;
	bool parting; /* the host leaves: send nothing more to it */
	struct buf send;
	bool sized;    /* the host knows our size: we have drawn */
	bool coloured; /* and our terminal's colours */
	int signals;

	enum ending ending;
	int status; /* the program's, for ENDED */
	/* Printed after the terminal was given back to the user. */
	struct buf last_words;
	struct error error; /* for FAILED */

	int64_t asked_ms;  /* when the terminal was queried */
	int64_t key_ms;    /* when it last sent bytes */
	int64_t output_ms; /* when output last came */
	int64_t notice_ms; /* end of the notice; 0: none or no end */
	bool greeting;     /* the notice is the greeting */
	int64_t lost_ms;   /* since then there is no host */
	int64_t retry_ms;
};

/* attach_end.c: only the first ending counts. */
void attach_finish(struct attach *a, enum ending ending, int status);
void attach_fail(struct attach *a); /* with a->error */
/* `how` is complete except for the name. */
void attach_finish_ended(struct attach *a, struct farewell *how);
/* Detached by another client; NULL: by the user. */
void attach_finish_detached(struct attach *a, const char *by);
/* If the session has ended by its manifest, finish and return true. */
bool attach_is_over(struct attach *a);

/* attach_greet.c */
/*
 * The keys before a command: the prefix, or the prefix twice in an inner
 * session.
 */
#define ATTACH_PREFIX_MAX (2 * KEY_NAME_MAX + 2)
void attach_prefix(const struct attach *a, char out[ATTACH_PREFIX_MAX]);
void attach_greet(struct attach *a);
void attach_on_typed(struct attach *a);
/* True if read-only viewers may not use the command; shows a notice then. */
bool attach_refuses(struct attach *a, enum keys_command command);

/* attach_host.c */
/* Connect; a session that has already ended is fine. */
int attach_connect(struct attach *a, struct error *err);
/* Reconnect, to continue at our offset or with a fresh picture. */
int attach_connect_again(struct attach *a, bool picture);
void attach_on_host(struct attach *a);
/* Send pending input, or keep it for the next host. */
void attach_send(struct attach *a);
void attach_lose(struct attach *a);
void attach_retry(struct attach *a, int64_t now);

/* attach_request.c: requests to the host; a notice shows the result. */
void attach_detach_others(struct attach *a);
void attach_rename(struct attach *a);
void attach_mark(struct attach *a);
void attach_take_lease(struct attach *a);
void attach_kill(struct attach *a);
struct frame;
void attach_on_response(struct attach *a, const struct frame *f);

/* attach_user.c */
extern const struct keys_ops attach_keys_ops;
void attach_on_terminal(struct attach *a);
/* Show a line for a while; NULL: none. */
void attach_notice(struct attach *a, const char *text);
void attach_detach(struct attach *a);
void attach_suspend(struct attach *a);
/* Read the terminal's size and redraw everything. */
void attach_look_at_terminal(struct attach *a);
void attach_send_size(struct attach *a);

/* attach_page.c */
void attach_open_history(struct attach *a);
void attach_open_help(struct attach *a);
/* Let the user type a line, or answer a question with y; then call fn. */
void attach_ask(struct attach *a, const char *label, const char *text,
    void (*fn)(struct attach *a, const char *text));
void attach_ask_yes_no(struct attach *a, const char *question,
    void (*fn)(struct attach *a, const char *text));
void attach_on_key(void *arg, const struct key *k);
void attach_on_mouse(void *arg, const struct mouse_event *ev);
/* Draw the open page, if any. */
void attach_draw(struct attach *a);
/*
 * attach_is_busy: a long search is under way; attach_work does a step of it.
 */
bool attach_is_busy(const struct attach *a);
void attach_work(struct attach *a);
void attach_close_pages(struct attach *a);

#endif
