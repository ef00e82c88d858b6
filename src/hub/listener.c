#include "hub/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/failpoint.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/number.h"
#include "hub/connection.h"
#include "hub/access.h"
#include "hub/hub.h"
#include "hub/refusal.h"
#include "session/around.h"
#include "session/confinement.h"

#define BACKLOG 512
#define ACCEPTS 64   /* per turn */
#define PAUSE_MS 100 /* without a descriptor */
#define DOORS_MAX 8

struct door {
	struct listener *listener;
	struct connection_door door;
	int fd;
	bool is_unix;
	struct watch *watch;
};

struct listener {
	struct hub *hub;
	void (*on_request)(struct connection *c, const struct http_request *r);
	struct door doors[DOORS_MAX];
	unsigned n_doors;
	struct list strangers, known; /* connections, oldest first */
	size_t n_strangers, n_known;
	int spare; /* a descriptor to give up when there is no other */
	struct watch *pause;
};

static int
open_spare(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void
on_pause_end(void *arg)
{
	struct listener *l = arg;

	for (unsigned i = 0; i < l->n_doors; i++)
		watch_want(l->doors[i].watch, LOOP_READ);
}

static void
pause_doors(struct listener *l)
{
	for (unsigned i = 0; i < l->n_doors; i++)
		watch_want(l->doors[i].watch, 0);
	watch_rearm(l->pause, PAUSE_MS);
}

/* A short answer to a client that cannot be served. */
static void
turn_away(const struct door *d, int fd)
{
	struct buf b;

	buf_init(&b, 8192);
	refusal_put(&b, 503, "busy", "the hub has too many connections");
	if (d->door.tls == NULL)
		(void)send(fd, b.data, b.len, MSG_NOSIGNAL | MSG_DONTWAIT);
	shutdown(fd, SHUT_WR);
	buf_finish(&b);
}

/*
 * No descriptor is left, or no memory for one.  Give up the spare one for a
 * moment to refuse a client; otherwise the waiting clients would wake the loop
 * without end.
 */
static void
refuse_one(struct listener *l, const struct door *d)
{
	int fd;

	hub_note(l->hub, HUB_NO_DESCRIPTOR, "no descriptor is left",
	    strerror(errno));
	fd_close(&l->spare);
	fd = accept4(d->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		turn_away(d, fd);
	fd_close(&fd);
	l->spare = open_spare();
	pause_doors(l);
}

static struct connection *
connection_of(struct list *link)
{
	return container_of(link, struct connection, link);
}

/*
 * Make room among the strangers of TCP, if necessary.  Those of hub.sock are the
 * owner's, whom no flood over TCP keeps out.
 */
static void
make_room(struct listener *l, const struct connection_peer *peer)
{
	struct connection *oldest = NULL, *oldest_same = NULL;
	size_t all = 0, same = 0;

	list_for_each(it, &l->strangers) {
		struct connection *c = connection_of(it);

		if (c->peer.is_unix)
			continue;
		if (all++ == 0)
			oldest = c;
		if (strcmp(c->peer.from, peer->from) == 0 && same++ == 0)
			oldest_same = c;
	}
	if (same < LISTENER_STRANGERS_PEER && all < LISTENER_STRANGERS)
		return;
	hub_note(l->hub, HUB_STRANGERS,
	    "too many connections without credentials", peer->from);
	connection_end(same < LISTENER_STRANGERS_PEER ? oldest : oldest_same);
}

static void
describe(const struct sockaddr_storage *sa, struct connection_peer *peer)
{
	const void *address = sa->ss_family == AF_INET6 ?
	    (const void *)&((const struct sockaddr_in6 *)sa)->sin6_addr :
	    (const void *)&((const struct sockaddr_in *)sa)->sin_addr;

	if (inet_ntop(sa->ss_family, address, peer->from, sizeof(peer->from)) ==
	    NULL)
		peer->from[0] = '\0';
}

/*
 * The kernel would keep up to 4 MiB for a client that does not read: memory
 * that no limit counts, and output so old that a slow client sees the newest
 * screen only after minutes.
 */
static void
tune(int fd)
{
	int on = 1, most = LISTENER_UNSENT;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most,
	    sizeof(most));
}

/*
 * A program in a confined session has fewer rights than its user.  The hosts
 * check them on their own sockets; here they would all look like the hub's.  No
 * process can enter or leave a session.
 */
static void
find_sessions(int fd, pid_t pid, struct connection_peer *peer)
{
	struct around around;

	around_find_peer(&around, fd, pid);
	peer->doubtful = around.doubtful;
	for (size_t i = 0; i < around.n; i++)
		peer->confined |= around.sessions[i].confined;
	if (around.n > 0)
		memcpy(peer->session, around.sessions[0].id,
		    sizeof(peer->session));
	around_finish(&around);
}

/* False: the client is of another user, or has gone. */
static bool
identify_peer(const struct door *d, int fd, const struct sockaddr_storage *sa,
    struct connection_peer *peer)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	memset(peer, 0, sizeof(*peer));
	peer->is_unix = d->is_unix;
	if (!d->is_unix) {
		describe(sa, peer);
		tune(fd);
		return true;
	}
	snprintf(peer->from, sizeof(peer->from), "unix");
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return false;
	if (cred.uid != getuid() && cred.uid != 0)
		return false;
	find_sessions(fd, cred.pid, peer);
	return true;
}

size_t
listener_count(const struct listener *l)
{
	return l->n_known + l->n_strangers;
}

static void
serve(struct listener *l, const struct door *d, int *fd,
    const struct connection_peer *peer)
{
	size_t most = LISTENER_MAX + (d->is_unix ? LISTENER_OWN : 0);
	struct connection *c;

	if (listener_count(l) >= most) {
		turn_away(d, *fd);
		return;
	}
	if (!d->is_unix)
		make_room(l, peer);
	c = connection_create(fd, peer, &d->door);
	if (c == NULL)
		return;
	list_append(&l->strangers, &c->link);
	l->n_strangers++;
}

/* Returns false if no more clients wait. */
static bool
accept_one(struct listener *l, const struct door *d)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(sa);
	struct connection_peer peer;
	auto_close int fd = accept4(d->fd, (struct sockaddr *)&sa, &len,
	    SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0 && fd_is_shortage(errno))
		refuse_one(l, d);
	if (fd < 0)
		return false;
	failpoint("hub-accepted");
	if (identify_peer(d, fd, &sa, &peer))
		serve(l, d, &fd, &peer);
	return true;
}

static void
on_door(void *arg, enum loop_events ready)
{
	struct door *d = arg;

	(void)ready;
	for (int i = 0; i < ACCEPTS; i++) {
		if (!accept_one(d->listener, d))
			break;
	}
}

/* ------------------------------------------------------------------- doors */

void
listener_end_invalid(struct listener *l)
{
	list_for_each_safe(it, &l->known) {
		struct connection *c = connection_of(it);

		/* A WebSocket that is closing has told its client why. */
		if ((c->request != NULL || c->flow != NULL) && !c->doomed &&
		    !access_is_valid(l->hub->access, &c->who))
			connection_end(c);
	}
}

static void
on_verified(struct connection *c)
{
	struct listener *l = c->door->owner;

	list_remove(&c->link);
	list_append(&l->known, &c->link);
	l->n_strangers--;
	l->n_known++;
}

static void
on_ended(struct connection *c)
{
	struct listener *l = c->door->owner;

	list_remove(&c->link);
	if (c->verified)
		l->n_known--;
	else
		l->n_strangers--;
}

static int
add_door(struct listener *l, int *fd, bool is_unix, const struct gate *gate,
    struct tls_context *tls, struct error *err)
{
	struct door *d = &l->doors[l->n_doors];

	*d = (struct door){ .listener = l, .fd = *fd, .is_unix = is_unix };
	d->door = (struct connection_door){ .hub = l->hub,
		.gate = gate,
		.tls = tls,
		.on_request = l->on_request,
		.on_verified = on_verified,
		.on_ended = on_ended,
		.owner = l };
	d->watch = loop_fd(l->hub->loop, *fd, LOOP_READ, on_door, d);
	if (d->watch == NULL)
		return error_set(err, errno, "cannot watch the socket: %s",
		    strerror(errno));
	(void)fd_take(fd);
	l->n_doors++;
	return 0;
}

int
listener_add_unix(struct listener *l, const struct gate *gate,
    struct error *err)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	auto_close int fd = socket(AF_UNIX,
	    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	/* The home may have a longer path than a socket's address. */
	snprintf(sa.sun_path, sizeof(sa.sun_path), "/proc/self/fd/%d/%s",
	    l->hub->home.fd, HUB_SOCKET);
	(void)unlinkat(l->hub->home.fd, HUB_SOCKET, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0 ||
	    listen(fd, BACKLOG) < 0)
		return error_set(err, errno, "cannot listen on %s/%s: %s",
		    l->hub->home.path, HUB_SOCKET, strerror(errno));
	return add_door(l, &fd, true, gate, NULL, err);
}

int
listener_parse(const char *address, char *host, size_t size, unsigned *port,
    struct error *err)
{
	const char *colon = strrchr(address, ':');
	size_t len = colon != NULL ? (size_t)(colon - address) : 0;
	const char *digits = colon != NULL ? colon + 1 : "";
	uint8_t numeric[16];
	uint64_t n;

	if (len >= 2 && address[0] == '[' && address[len - 1] == ']') {
		address++;
		len -= 2;
	} else if (memchr(address, ':', len) != NULL) {
		len = 0; /* an IPv6 address without brackets */
	}
	if (len == 0 || len >= size || !number_take(&digits, 65535, &n) ||
	    *digits != '\0')
		return error_set(err, EINVAL,
		    "an address is ADDR:PORT, as in 127.0.0.1:7070 or "
		    "[::1]:7070");
	memcpy(host, address, len);
	host[len] = '\0';
	*port = (unsigned)n;
	if (inet_pton(AF_INET, host, numeric) != 1 &&
	    inet_pton(AF_INET6, host, numeric) != 1)
		return error_set(err, EINVAL, "%s is not a numeric IP address",
		    host);
	return 0;
}

static unsigned
port_of(int fd)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(sa);

	if (getsockname(fd, (struct sockaddr *)&sa, &len) < 0)
		return 0;
	return ntohs(sa.ss_family == AF_INET6 ?
		((struct sockaddr_in6 *)&sa)->sin6_port :
		((struct sockaddr_in *)&sa)->sin_port);
}

static int
cannot_listen(const char *address, unsigned port, int code, struct error *err)
{
	const char *fix = "";

	if (code == EADDRINUSE)
		fix = "; \"--listen ADDR:PORT\" takes another port";
	else if (code == EACCES)
		fix = "; ports below 1024 are for root";
	else if (code == EADDRNOTAVAIL)
		fix = "; this machine does not have that address";
	return error_set(err, code, "cannot listen on %s, port %u: %s%s",
	    address, port, strerror(code), fix);
}

int
listener_add_tcp(struct listener *l, const char *address,
    const struct gate *gate, struct tls_context *tls, unsigned *port,
    struct error *err)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST |
		    AI_NUMERICSERV | AI_PASSIVE,
		.ai_socktype = SOCK_STREAM };
	auto_close int fd = -1;
	struct addrinfo *info;
	char host[64], service[8];
	int rc, on = 1;

	rc = listener_parse(address, host, sizeof(host), port, err);
	if (rc < 0)
		return rc;
	snprintf(service, sizeof(service), "%u", *port);
	if (getaddrinfo(host, service, &hints, &info) != 0)
		return error_set(err, EINVAL, "%s is not a numeric IP address",
		    host);
	fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
	    0);
	if (fd >= 0) {
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (info->ai_family == AF_INET6)
			(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on,
			    sizeof(on));
	}
	if (fd < 0 || bind(fd, info->ai_addr, info->ai_addrlen) < 0 ||
	    listen(fd, BACKLOG) < 0)
		rc = cannot_listen(address, *port, errno, err);
	freeaddrinfo(info);
	if (rc < 0)
		return rc;
	*port = port_of(fd);
	return add_door(l, &fd, false, gate, tls, err);
}

struct listener *
listener_create(struct hub *hub,
    void (*on_request)(struct connection *c, const struct http_request *r))
{
	struct listener *l = xcalloc(1, sizeof(*l));

	l->hub = hub;
	l->on_request = on_request;
	list_init(&l->strangers);
	list_init(&l->known);
	l->spare = open_spare();
	l->pause = loop_timer(hub->loop, -1, on_pause_end, l);
	return l;
}

void
listener_destroy(struct listener *l)
{
	if (l == NULL)
		return;
	for (unsigned i = 0; i < l->n_doors; i++) {
		watch_remove(l->doors[i].watch);
		fd_close(&l->doors[i].fd);
	}
	while (!list_is_empty(&l->strangers))
		connection_end(connection_of(l->strangers.next));
	while (!list_is_empty(&l->known))
		connection_end(connection_of(l->known.next));
	watch_remove(l->pause);
	fd_close(&l->spare);
	free(l);
}
