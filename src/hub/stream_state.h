#ifndef TEND_HUB_STREAM_STATE_H
#define TEND_HUB_STREAM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "hub/hub.h"
#include "hub/identity.h"

struct socket;
struct verifying;

/*
 * The state of one stream, a WebSocket of docs/stream.md, for the files that
 * carry it out.
 *
 * Limits: STREAM_SUBSCRIPTIONS, STREAM_CALLS, STREAM_INPUTS for each
 * subscription, and of all streams STREAM_VIEWERS of one session, fewer than its
 * host takes: the command line needs some.  More are refused with `busy`.  When SOCKET_HIGH bytes wait for
 * the client, the stream is choked: its subscriptions read nothing until fewer
 * than SOCKET_LOW wait.  An idle subscription takes about 4 KiB.
 */
#define STREAM_SUBSCRIPTIONS 256
#define STREAM_CALLS 64
#define STREAM_INPUTS 1024
#define STREAM_VIEWERS 240

struct streams {
	struct hub *hub;
	struct list list; /* struct stream */
	struct hub_hook hook;
};

struct stream {
	struct list link; /* of all streams */
	struct hub *hub;
	struct socket *socket;
	struct identity who;
	char from[64];
	bool greeted; /* the client has said hello, and is known */
	bool choked;
	char cookie[128]; /* whose key comes in hello; "": none */
	struct verifying *verifying;
	struct list subscriptions;
	unsigned n_subscriptions;
	struct list calls;
	unsigned n_calls;
};

#endif
