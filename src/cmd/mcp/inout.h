#ifndef TEND_CMD_MCP_INOUT_H
#define TEND_CMD_MCP_INOUT_H

#include <stdbool.h>
#include <stddef.h>

struct loop;
struct watch;

/*
 * Standard input and output on a loop.  They may be pipes, sockets, terminals
 * or files.  Other processes may have them open too, so they must stay blocking
 * and the loop watches an epoll of ours instead.  An epoll takes no regular
 * file and no /dev/null; these are always ready, and a timer calls for them.
 */
enum inout_events {
	INOUT_IN = 1 << 0,   /* input can be read, or has ended */
	INOUT_OUT = 1 << 1,  /* inout_room bytes can be written */
	INOUT_GONE = 1 << 2, /* nobody reads the output; always wanted */
};

typedef void inout_fn(void *arg, unsigned ready);

struct inout {
	inout_fn *fn;
	void *arg;
	int epoll;
	unsigned want;   /* enum inout_events */
	unsigned always; /* those that are always ready */
	bool reads;      /* the epoll has standard input */
	bool armed;      /* the timer runs */
	struct watch *watch, *timer;
};

/* Returns 0, or -errno; finish it in both cases. */
int inout_init(struct inout *s, struct loop *loop, inout_fn *fn, void *arg);
void inout_finish(struct inout *s);

/* Want other events; 0 for none. */
void inout_want(struct inout *s, unsigned want);

/* The number of bytes that can be written at INOUT_OUT without blocking. */
size_t inout_room(const struct inout *s);

#endif
