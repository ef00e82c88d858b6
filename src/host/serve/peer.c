#include "host/serve/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "session/confinement.h"
#include "wire/hello.h"

/* True if nothing can be opened, so that nothing was found out either. */
static bool
lacks_descriptors(int fd)
{
	auto_close int probe = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return probe < 0 && (errno == EMFILE || errno == ENFILE);
}

bool
peer_find(struct peer *p, int fd)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	const struct confinement *in;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0 ||
	    (cred.uid != 0 && cred.uid != geteuid()))
		return false;
	*p = (struct peer){ .uid = cred.uid, .pid = cred.pid };
	around_find_peer(&p->around, fd, cred.pid);
	p->busy = p->around.doubtful && lacks_descriptors(fd);
	in = p->around.n > 0 ? &p->around.sessions[0] : NULL;
	if (in != NULL && in->id[0] != '\0')
		snprintf(p->name, sizeof(p->name), "session:%s", in->id);
	else
		snprintf(p->name, sizeof(p->name), "uid:%u",
		    (unsigned)cred.uid);
	return true;
}

void
peer_finish(struct peer *p)
{
	around_finish(&p->around);
}

static bool
is_found(const char *principal)
{
	return strncmp(principal, "uid:", 4) == 0 ||
	    strncmp(principal, "session:", 8) == 0;
}

int
peer_claim(const struct peer *p, const struct hello *h, char by[BY_SIZE],
    struct error *err)
{
	bool itself = strcmp(h->principal, p->name) == 0;
	struct by who = { 0 };

	if (h->principal[0] != '\0' && !itself && p->around.n > 0)
		return error_set(err, EACCES,
		    "a client inside a session is %s and cannot be %s; leave "
		    "out the principal, or connect from outside",
		    p->name, h->principal);
	if (!itself && is_found(h->principal))
		return error_set(err, EACCES,
		    "a client cannot claim to be %s; this client is %s",
		    h->principal, p->name);
	snprintf(who.peer, sizeof(who.peer), "%s", p->name);
	if (!itself) {
		memcpy(who.principal, h->principal, sizeof(who.principal));
		memcpy(who.verified, h->verified, sizeof(who.verified));
	}
	by_format(&who, by);
	return 0;
}

static int
refuse_doubtful(const struct peer *p, struct error *err)
{
	return error_set(err, EACCES,
	    "cannot tell which session the client (process %d) is in; "
	    "connect from a process that keeps running and is visible to the "
	    "host",
	    (int)p->pid);
}

int
peer_check(const struct peer *p, const struct confinement *target,
    const char *name, enum op_permission permission, struct error *err)
{
	if (p->around.doubtful)
		return refuse_doubtful(p, err);
	return around_check(&p->around, target, name, permission, err);
}

int
peer_check_any(const struct peer *p, const struct confinement *target,
    const char *name, struct error *err)
{
	if (p->around.doubtful)
		return refuse_doubtful(p, err);
	return around_check_any(&p->around, target, name, err);
}
