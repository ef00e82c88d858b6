#ifndef TEND_WIRE_HELLO_H
#define TEND_WIRE_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct error;

/* The line of JSON that each side begins with: docs/protocol.md. */
#define HELLO_VERSION 1

enum hello_features {
	HELLO_OFFSET = 1 << 0,
	HELLO_KEYFRAME = 1 << 1,
	HELLO_EVENTS = 1 << 2,
	HELLO_HANDOVER = 1 << 3,
	HELLO_PARALLEL = 1 << 4,
};

enum hello_mode { HELLO_CONTROL, HELLO_ATTACH };
enum hello_replay { HELLO_SCREEN, HELLO_RAW, HELLO_NONE };
enum hello_behind { HELLO_BEHIND_SCREEN, HELLO_BEHIND_LOSSLESS };

struct hello {
	unsigned version;
	unsigned features; /* enum hello_features */
	unsigned engine;   /* 0: none */
	char client[64];
	enum hello_mode mode;
	bool readonly;
	enum hello_replay replay;
	bool has_from;
	uint64_t from;
	uint32_t history;
	unsigned cols, rows; /* 0, 0: has no say */
	enum hello_behind behind;
	bool flow_block;
	uint32_t flow_ms;
	bool steal;
	uint64_t who; /* the same on all connections of a client; 0: unsaid */
	bool has_colours;
	uint32_t fg, bg;     /* 0xrrggbb */
	bool hidden;         /* "visible":false */
	char principal[129]; /* KIND:NAME, or "" */
	char verified[33];   /* how, or "" */
};

/* The defaults of docs/protocol.md. */
void hello_init(struct hello *h);

/* True if the text can be a principal: KIND:NAME. */
bool hello_is_principal(const char *s);

/* Read the client's line (without newline needed); -EINVAL and why. */
int hello_read(struct hello *h, const char *p, size_t len, struct error *err);
int hello_write(const struct hello *h, struct buf *out); /* with newline */

struct welcome {
	bool ok;
	unsigned version;
	unsigned features;
	char host[64];
	char id[32];
	char name[256];
	bool readonly;
	char code[32]; /* when not ok */
	char message[512];
	bool retryable;
};
int welcome_read(struct welcome *w, const char *p, size_t len,
    struct error *err);
int welcome_write(const struct welcome *w, struct buf *out);

#endif
