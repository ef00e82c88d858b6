#ifndef TEND_CLIENT_KEYS_H
#define TEND_CLIENT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "vt/key_decode.h"

struct error;

/*
 * Turns the user's keys, mouse and pastes into INPUT frames for the host,
 * which encodes them for the program.  Keys after the prefix key are commands
 * of the client, listed in keys.def.  The prefix twice types the prefix
 * itself.
 *
 * Replies of the user's terminal are never typed.  A paste is one INPUT, or
 * several if it is longer than KEYS_PASTE_MAX.
 */
#define KEYS_PASTE_MAX (256u << 10)
#define KEYS_DEFAULT_PREFIX "C-]"

enum keys_command {
#define COMMAND(id, ...) KEYS_##id,
#include "client/keys.def"
#undef COMMAND
	KEYS_UNKNOWN, /* the prefix and a key that is no command */
};

/* Lists of key names, for commands with other keys than in keys.def. */
struct keys_bound {
	const char *names[KEYS_UNKNOWN]; /* borrowed; NULL: as in keys.def */
};

struct keys_ops {
	void (*command)(void *arg, enum keys_command c);
	/*
	 * Called while `grabbed`; the mouse position is relative to the
	 * window.
	 */
	void (*key)(void *arg, const struct key *k);
	void (*mouse)(void *arg, const struct mouse_event *ev);
	void (*reply)(void *arg, const struct key_reply *r);
};

struct keys {
	/* The caller may set these at any time. */
	bool muted;          /* read-only: nothing is typed */
	bool grabbed;        /* keys go to the client itself */
	bool ask;            /* the next INPUT has an id, to get its result */
	bool typed;          /* the user typed or pasted, also while muted */
	unsigned left, top;  /* of the window on the terminal */
	unsigned cols, rows; /* the session's */

	/* The rest is private. */
	struct key_decoder decoder;
	const struct keys_ops *ops;
	void *arg;
	struct buf *out;
	struct key prefix;
	struct keys_bound bound;
	bool prefixed;  /* the prefix was pressed */
	uint32_t eaten; /* the key of a command; ignore its release */
	bool burst;     /* collecting plain text from one read */
	uint64_t next_id;
	struct buf text, paste;
};

/* prefix is a key's name; -EINVAL with err if it is invalid. */
int keys_init(struct keys *k, const char *prefix,
    const struct keys_bound *bound, const struct keys_ops *ops, void *arg,
    struct buf *out, struct error *err);
void keys_finish(struct keys *k);

/* True if the key is in a list of names. */
bool keys_match(const struct key *k, const char *names);

/* The prefix's name: the given one, or $TEND_PREFIX, or the default. */
const char *keys_prefix(const char *name);

/* The keys of a command, and its description. */
const char *keys_of(const struct keys_bound *bound, enum keys_command c);
const char *keys_does(enum keys_command c);

void keys_feed(struct keys *k, const void *p, size_t len);

/* The time to wait for more bytes before keys_flush; -1: none are held. */
int keys_wait_ms(const struct keys *k);
void keys_flush(struct keys *k);

#endif
