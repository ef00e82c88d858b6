#ifndef TEND_CLIENT_KEYS_H
#define TEND_CLIENT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "vt/key_decode.h"

struct error;

/*
 * What the user does at the terminal, as INPUT frames for the host, which
 * encodes them for the program; and the client's own commands, which follow
 * the prefix key.
 *
 * Those are listed in keys.def.  The prefix twice types the prefix itself.
 *
 * Answers of the user's terminal are never typed.  A paste is one INPUT, or
 * several when it is longer than KEYS_PASTE_MAX.
 */
#define KEYS_PASTE_MAX (256u << 10)
#define KEYS_DEFAULT_PREFIX "C-]"

enum keys_command {
#define COMMAND(id, ...) KEYS_##id,
#include "client/keys.def"
#undef COMMAND
	KEYS_UNKNOWN, /* after the prefix came a key that is no command */
};

/* Lists of names of keys, for commands that have others than in keys.def. */
struct keys_bound {
	const char *names[KEYS_UNKNOWN]; /* borrowed; NULL: as there */
};

struct keys_ops {
	void (*command)(void *arg, enum keys_command c);
	/* While `grabbed`; the mouse's place is one in the window. */
	void (*key)(void *arg, const struct key *k);
	void (*mouse)(void *arg, const struct mouse_event *ev);
	void (*reply)(void *arg, const struct key_reply *r);
};

struct keys {
	/* The caller may set these at any time. */
	bool muted;   /* read-only: nothing is typed */
	bool grabbed; /* keys are the client's own */
	bool ask; /* the next INPUT carries an id, to hear what became of it */
	bool typed; /* somebody pressed a key or pasted, also while muted */
	unsigned left, top;  /* of the window that the terminal shows */
	unsigned cols, rows; /* the session's */

	/* The rest is the keys'. */
	struct key_decoder decoder;
	const struct keys_ops *ops;
	void *arg;
	struct buf *out;
	struct key prefix;
	struct keys_bound bound;
	bool prefixed;  /* the prefix was pressed */
	uint32_t eaten; /* the key of a command, to be let go of in silence */
	bool burst;     /* plain text is gathered: it came at once */
	uint64_t next_id;
	struct buf text, paste;
};

/* prefix is a key's name; -EINVAL and why when there is no such key. */
int keys_init(struct keys *k, const char *prefix,
    const struct keys_bound *bound, const struct keys_ops *ops, void *arg,
    struct buf *out, struct error *err);
void keys_finish(struct keys *k);

/* True if the key is one of those in a list of names. */
bool keys_match(const struct key *k, const char *names);

/* The prefix's name: that, or else $TEND_PREFIX, or the usual one. */
const char *keys_prefix(const char *name);

/* The keys of a command, and what it does. */
const char *keys_of(const struct keys_bound *bound, enum keys_command c);
const char *keys_does(enum keys_command c);

void keys_feed(struct keys *k, const void *p, size_t len);

/* How long to wait for more before keys_flush; -1: nothing is held. */
int keys_wait_ms(const struct keys *k);
void keys_flush(struct keys *k);

#endif
