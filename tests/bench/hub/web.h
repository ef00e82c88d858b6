#ifndef TEND_TESTS_BENCH_WEB_H
#define TEND_TESTS_BENCH_WEB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A client of a web server for measurements: HTTP over one connection, and
 * WebSockets whose messages are hashed, not kept.  Any failure ends the program.
 */

/*
 * Connect to "tcp:PORT" on this machine, or to "unix:PATH"; it blocks.  receive
 * is the size of the kernel's buffer; 0: as the kernel likes.
 */
int web_connect(const char *target, int receive);
void web_unblock(int fd);

/*
 * Read one whole answer, which has a Content-Length, and return its status.
 * The buffer gets all of it; *len is its length.
 */
#define WEB_ANSWER_MAX (8u << 20)
int web_answer(int fd, char *buffer, size_t *len);

/* Turn the connection into a WebSocket; `headers` are whole lines or "". */
void web_upgrade(int fd, const char *target, const char *path,
    const char *headers);

/* Send one message, masked as a client must. */
void web_send(int fd, bool binary, const void *p, size_t len);

/*
 * Splits bytes into messages.  on_part gets each part of a message as it comes,
 * and true with the last one.
 */
struct web_frames {
	uint8_t head[10];
	unsigned have;  /* bytes of the head */
	uint64_t left;  /* bytes of the frame */
	uint64_t done;  /* offset of the part in its message */
	uint8_t opcode; /* of the frame */
	bool inside, binary, control;
};
typedef void web_part_fn(void *arg, const struct web_frames *f,
    const uint8_t *p, size_t len, bool last);
void web_take(struct web_frames *f, const uint8_t *p, size_t len,
    web_part_fn *on_part, void *arg);

#endif
