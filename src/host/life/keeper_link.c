#include "host/life/keeper_link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "host/core/session.h"
#include "host/life/ending.h"
#include "host/life/handover.h"
#include "host/life/keeper_gone.h"
#include "host/life/restart.h"
#include "host/serve/server.h"
#include "keep/control.h"

struct keeper_link {
	struct session *session;
	struct keeper_link_parts with;
	struct watch *watch;
	struct keeper_gone *gone; /* after the keeper has died */
};

int
keeper_link_hello(int control, int timeout_ms, struct control *out,
    struct error *err)
{
	struct pollfd pfd = { .fd = control, .events = POLLIN };
	int fd = -1, rc = 0;

	if (poll(&pfd, 1, timeout_ms) == 1)
		rc = control_receive(control, out, &fd);
	fd_close(&fd);
	if (rc < 1 || out->type != CONTROL_HELLO)
		return error_set(err, rc < 0 ? -rc : EPROTO,
		    "the keeper sent no HELLO");
	return 0;
}

static void
lose_keeper(struct keeper_link *l)
{
	struct session *session = l->session;

	watch_remove(l->watch);
	l->watch = NULL;
	fd_close(&session->control);
	handover_failed(l->with.handover, NULL);
	l->gone = keeper_gone_create(session, l->with.ending);
}

static void
take(struct keeper_link *l, const struct control *c, int fd)
{
	switch (c->type) {
	case CONTROL_EXIT:
		ending_exit(l->with.ending, c->u.exit.status, c->u.exit.offset,
		    false);
		break;
	case CONTROL_CLOSED:
		ending_closed(l->with.ending, c->u.closed.offset);
		break;
	case CONTROL_STARTED:
		restart_started(l->with.restart, c);
		break;
	case CONTROL_LISTENING:
		if (fd >= 0)
			server_listen(l->with.server, &fd);
		break;
	case CONTROL_LEAVE:
		handover_leave(l->with.handover, c->u.leave.pid);
		break;
	case CONTROL_FAILED:
		handover_failed(l->with.handover, c);
		break;
	default:
		break;
	}
	fd_close(&fd);
}

static void
on_control(void *arg, enum loop_events ready)
{
	struct keeper_link *l = arg;
	struct control c;
	int fd, rc;

	(void)ready;
	while ((rc = control_receive(l->session->control, &c, &fd)) == 1)
		take(l, &c, fd);
	if (rc != -EAGAIN && rc != -EINTR)
		lose_keeper(l);
}

struct keeper_link *
keeper_link_create(struct session *session,
    const struct keeper_link_parts *with)
{
	struct keeper_link *l = xcalloc(1, sizeof(*l));

	l->session = session;
	l->with = *with;
	l->watch = loop_fd(session->loop, session->control, LOOP_READ,
	    on_control, l);
	return l;
}

void
keeper_link_destroy(struct keeper_link *l)
{
	if (l == NULL)
		return;
	watch_remove(l->watch);
	keeper_gone_destroy(l->gone);
	free(l);
}

void
keeper_link_ready(struct keeper_link *l)
{
	struct control ready = { .type = CONTROL_READY, .size = sizeof(ready) };
	struct control linger = {
		.type = CONTROL_LINGER,
		.size = sizeof(linger),
		.u.linger.ms = l->session->manifest.linger_ms,
		.u.linger.hold = l->session->manifest.restart != RESTART_NEVER,
	};

	control_send(l->session->control, &linger, -1);
	control_send(l->session->control, &ready, -1);
}
