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
#include "client/reader.h"
#include "client/term.h"
#include "client/view.h"

/*
 * What the parts of attaching share; nobody else includes this.
 *
 *	attach.c	the turns, signals, beginning and end
 *	attach_host.c	the connection, its frames, and its loss
 *	attach_greet.c	what is said when it begins, and to who only looks
 *	attach_user.c	commands, the terminal's input
 *	attach_request.c	what the host is asked to do
 *	attach_page.c	history, help, and lines typed for tend
 *	attach_end.c	how it ended
 */
#define ATTACH_BEHIND (256u << 10) /* not written: the terminal is behind */

enum ending { GOING_ON, DETACHED, HUNG_UP, ENDED, FAILED };

struct attach {
	const struct attach_options *options;
	int dirfd;
	uint64_t who; /* to the host, over all our connections */
	struct term term;
	struct probe probe;
	struct keys keys;
	bool inner; /* a session around this one takes our prefix first */
	struct mirror mirror;
	struct view view;
	char name[ENTRY_MAX];  /* the session's, as far as we know */
	char given[ENTRY_MAX]; /* a name that the host was told last */
	struct reader reader;  /* of the history, while it is open */
	struct help help;
	bool helping; /* it is shown */
	struct entry entry;
	void (*entered)(struct attach *a, const char *text); /* NULL: none is
								typed */
	struct conn conn;
	bool connected;
	bool parting; /* the host leaves: send no more, another will follow */
	struct buf send;
	bool sized;    /* the host was told our size: we have drawn */
	bool coloured; /* and our terminal's colours */
	int signals;

	enum ending ending;
	int status; /* the program's, for ENDED */
	/* Printed when the terminal is the user's again. */
	struct buf last_words;
	struct error error; /* for FAILED */

	int64_t asked_ms;  /* when the terminal was asked what it can */
	int64_t key_ms;    /* when the last bytes came from it */
	int64_t output_ms; /* when output came last */
	int64_t notice_ms; /* until when a notice is shown; 0: none or on */
	bool greeting;     /* the notice is that of the beginning */
	int64_t lost_ms;   /* since when there is no host */
	int64_t retry_ms;
};

/* attach_end.c: the first ending counts. */
void attach_finish(struct attach *a, enum ending ending, int status);
void attach_fail(struct attach *a); /* with a->error */
/* `how` is filled in but for the name. */
void attach_finish_ended(struct attach *a, struct farewell *how);
/* By somebody else; NULL: by the user. */
void attach_finish_detached(struct attach *a, const char *by);
/* True if the session is over, by its own papers; then it is finished. */
bool attach_is_over(struct attach *a);

/* attach_greet.c */
/* The keys before a command: the prefix, or twice that in an inner session. */
#define ATTACH_PREFIX_MAX (2 * KEY_NAME_MAX + 2)
void attach_prefix(const struct attach *a, char out[ATTACH_PREFIX_MAX]);
void attach_greet(struct attach *a);
void attach_on_typed(struct attach *a);
/* True if a viewer may not use the command; a notice then says so. */
bool attach_refuses(struct attach *a, enum keys_command command);

/* attach_host.c */
/* Connected, or over already. */
int attach_connect(struct attach *a, struct error *err);
/* Anew, to go on where we are or with a fresh picture. */
int attach_connect_again(struct attach *a, bool picture);
void attach_on_host(struct attach *a);
/* Send what there is, or keep it for the host that follows. */
void attach_send(struct attach *a);
void attach_lose(struct attach *a);
void attach_retry(struct attach *a, int64_t now);

/*
 * attach_request.c: what the host is asked to do; a notice tells what came of
 * it.
 */
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
/* A line of ours, for a while; NULL for none. */
void attach_notice(struct attach *a, const char *text);
void attach_detach(struct attach *a);
void attach_suspend(struct attach *a);
/* The terminal may have another size, and is drawn anew. */
void attach_look_at_terminal(struct attach *a);
void attach_tell_size(struct attach *a);

/* attach_page.c */
void attach_open_history(struct attach *a);
void attach_open_help(struct attach *a);
/* Have a line typed, or a question answered with y; then fn is called. */
void attach_ask(struct attach *a, const char *label, const char *text,
    void (*fn)(struct attach *a, const char *text));
void attach_ask_yes_no(struct attach *a, const char *question,
    void (*fn)(struct attach *a, const char *text));
void attach_on_key(void *arg, const struct key *k);
void attach_on_mouse(void *arg, const struct mouse_event *ev);
/* Draw what is shown of it, if anything is. */
void attach_draw(struct attach *a);
/* A step of what takes long, if something does. */
bool attach_is_busy(const struct attach *a);
void attach_work(struct attach *a);
void attach_close_pages(struct attach *a);

#endif
