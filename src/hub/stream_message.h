#ifndef TEND_HUB_STREAM_MESSAGE_H
#define TEND_HUB_STREAM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct buf;
struct error;

/* Messages of the stream as docs/stream.md describes them.  Pure. */
#define STREAM_VERSION 1
#define STREAM_MESSAGE_MAX (1u << 20)
#define STREAM_ID_MAX (1ull << 53)
#define STREAM_KEY_SIZE 129

enum stream_type {
	STREAM_UNKNOWN,
	STREAM_HELLO,
	STREAM_PING,
	STREAM_SUBSCRIBE,
	STREAM_UNSUBSCRIBE,
	STREAM_CREDIT,
	STREAM_INPUT,
	STREAM_RESIZE,
	STREAM_VISIBLE,
	STREAM_CALL,
	STREAM_CANCEL,
	STREAM_TYPES
};

enum stream_want {
	STREAM_OUTPUT,
	STREAM_SCREEN,
	STREAM_THUMBNAIL,
	STREAM_EVENTS,
	STREAM_HOME,
	STREAM_WANTS
};

/* The fields of all types; each type fills in its own. */
struct stream_message {
	enum stream_type type;
	uint64_t id;  /* 0: it wants no answer */
	uint32_t sub; /* 0: none */
	/* hello */
	char key[STREAM_KEY_SIZE];
	/* subscribe */
	uint8_t want;      /* enum stream_want */
	char session[256]; /* "": none */
	uint8_t replay;    /* enum hello_replay */
	bool has_replay, has_from;
	uint64_t from;
	char cursor[64]; /* home; "": none */
	uint32_t history;
	uint8_t behind; /* enum hello_behind */
	uint32_t rate;  /* 0: no limit */
	bool has_credit;
	uint64_t credit;
	bool readwrite; /* access */
	uint32_t cols, rows;
	bool visible;
	bool steal;
	uint64_t who;
	uint32_t interval; /* 0: the default */
	bool has_cells, cells;
	/* credit */
	uint64_t bytes;
	/* input */
	uint8_t kind; /* enum input_kind */
	bool secret;
	uint8_t event, action, button;
	uint8_t mods;
	uint32_t row, col, px, py;
	bool focused;
	char once[129];   /* key_once */
	const uint8_t *p; /* of a binary message; borrowed */
	size_t len;
	/* call */
	char op[64];
	uint64_t call; /* cancel: its id */
	json_t *tree;  /* the whole text message; args and so on are in it */
};

/*
 * Read a message.  -EPROTO: it is not a JSON object, or no binary message that
 * is known.  -EINVAL and err: some field is wrong; type, id and sub are set as
 * far as they are right.  Call stream_message_finish in any case.
 */
int stream_message_read(struct stream_message *m, const void *p, size_t len,
    struct error *err);
int stream_message_read_binary(struct stream_message *m, const void *p,
    size_t len, struct error *err);
void stream_message_finish(struct stream_message *m);

/* Append an input as a frame for a host, or -EINVAL and err. */
int stream_message_frame(const struct stream_message *m, struct buf *frame,
    struct error *err);

/* An input as the items of session.send; NULL and err if it has no such form. */
json_t *stream_message_items(const struct stream_message *m, struct error *err);

/* The heads of binary messages. */
enum stream_kind {
	STREAM_KIND_OUTPUT = 1,
	STREAM_KIND_PICTURE,
	STREAM_KIND_INPUT,
};
#define STREAM_HEAD 16
#define STREAM_PICTURE_HEAD (STREAM_HEAD + 12)
struct frame_screen;

void stream_head_output(uint8_t head[STREAM_HEAD], uint32_t sub,
    uint64_t offset);
void stream_head_picture(uint8_t head[STREAM_PICTURE_HEAD], uint32_t sub,
    const struct frame_screen *screen);

/*
 * Remove the characters that act on a terminal (C0, DEL, C1) from every string
 * of a value; it is changed in place.
 */
void stream_clean(json_t *value);

#endif
