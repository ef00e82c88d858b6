#include "hub/service.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/failpoint.h"
#include "base/fd.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/version.h"
#include "home/calls.h"
#include "hub/access.h"
#include "hub/audit.h"
#include "hub/certificate.h"
#include "hub/connection.h"
#include "hub/directory.h"
#include "hub/follow.h"
#include "hub/hub.h"
#include "hub/launcher.h"
#include "hub/listener.h"
#include "hub/log_watch.h"
#include "hub/rights.h"
#include "hub/log_file.h"
#include "hub/names.h"
#include "hub/routes.h"
#include "hub/sandbox.h"
#include "hub/store.h"
#include "hub/streams.h"
#include "hub/throttle.h"
#include "hub/upload.h"
#include "hub/verifier.h"
#include "web/tls.h"

#define THREADS 16
#define QUEUE 1024
#define LINGER_MS 1000

/* ------------------------------------------------------------------- turns */

static void
on_settle(void *arg)
{
	struct hub *hub = arg;

	hub->turns++;
	hub_call_later(hub);
	while (!list_is_empty(&hub->soon)) {
		struct list *it = hub->soon.next;

		list_remove(it);
		connection_go_on(container_of(it, struct connection, soon));
		hub_call_later(hub);
	}
	while (!list_is_empty(&hub->dead))
		connection_free(
		    container_of(hub->dead.next, struct connection, link));
}

/* A renewed certificate; the old one stays if that cannot be used. */
static void
reread_certificate(struct hub *hub)
{
	struct tls_context *next;
	struct error err = { 0 };

	if (hub->tls == NULL) {
		log_write(&hub->log, LOG_INFO,
		    "there is no certificate to read again");
		return;
	}
	next = certificate_open(&hub->home, hub->options, &err);
	if (next == NULL) {
		log_write(&hub->log, LOG_ERROR,
		    "the certificate stays as it was",
		    log_str("error", err.msg));
		return;
	}
	tls_context_replace(hub->tls, next);
	tls_fingerprint(hub->tls, hub->fingerprint);
	log_write(&hub->log, LOG_INFO, "the certificate was read again",
	    log_str("fingerprint", hub->fingerprint));
}

static void
on_signal(void *arg, enum loop_events ready)
{
	struct hub *hub = arg;
	struct signalfd_siginfo info;

	(void)ready;
	if (read(hub->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGHUP && !hub->has_terminal) {
		reread_certificate(hub);
		return;
	}
	log_write(&hub->log, LOG_INFO, "stopping",
	    log_int("signal", info.ssi_signo));
	loop_stop(hub->loop);
}

static void
on_launcher_end(void *arg)
{
	struct hub *hub = arg;

	log_write(&hub->log, LOG_ERROR, "the launcher has ended");
	hub->status = 1;
	loop_stop(hub->loop);
}

/* ----------------------------------------------------------------- opening */

/* One hub for each home. */
static int
take_lock(struct hub *hub, struct error *err)
{
	hub->lock = openat(hub->home.fd, "hub.lock",
	    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (hub->lock < 0)
		return error_set(err, errno, "cannot open %s/hub.lock: %s",
		    hub->home.path, strerror(errno));
	if (flock(hub->lock, LOCK_EX | LOCK_NB) < 0)
		return error_set(err, errno == EWOULDBLOCK ? EEXIST : errno,
		    "a hub already serves the home %s; \"tend hub status\" "
		    "shows it",
		    hub->home.path);
	return 0;
}

static int
open_log(struct hub *hub, struct error *err)
{
	hub->log.least = LOG_INFO;
	if (!hub->options->foreground)
		return log_file_open(&hub->log, &hub->home, err);
	hub->log.fd = dup(STDERR_FILENO);
	return hub->log.fd >= 0 ?
	    0 :
	    error_set(err, errno, "cannot log to standard error: %s",
		strerror(errno));
}

/* SIGHUP is the end of a terminal, or asks to read the certificate again. */
static bool
has_terminal(void)
{
	auto_close int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	return fd >= 0;
}

static int
watch_signals(struct hub *hub, struct error *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	hub->has_terminal = has_terminal();
	hub->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (hub->signals < 0 ||
	    loop_fd(hub->loop, hub->signals, LOOP_READ, on_signal, hub) == NULL)
		return error_set(err, errno, "cannot watch for signals: %s",
		    strerror(errno));
	return 0;
}

static bool
is_loopback(const char *host)
{
	return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0;
}

/* Off loopback, there is TLS or no hub. */
static int
check_address(const struct hub *hub, const char *address, char *host,
    size_t size, struct error *err)
{
	unsigned port;
	int rc = listener_parse(address, host, size, &port, err);

	if (rc == 0 && !is_loopback(host) && hub->tls == NULL)
		rc = error_set(err, EINVAL,
		    "%s can be reached from other machines, so the hub needs "
		    "TLS there: add \"--tls self\" or \"--tls CERT:KEY\"",
		    address);
	return rc;
}

static int
listen_tcp(struct hub *hub, const char *address, struct error *err)
{
	char host[64];
	unsigned port = 0;
	int rc = check_address(hub, address, host, sizeof(host), err);

	if (rc == 0)
		rc = listener_add_tcp(hub->listener, address, &hub->gate,
		    hub->tls, &port, err);
	if (rc == 0)
		names_allow(hub, host, port);
	return rc;
}

static int
open_tls(struct hub *hub, struct error *err)
{
	if (hub->options->tls == NULL)
		return 0;
	err->code = 0;
	hub->tls = certificate_open(&hub->home, hub->options, err);
	if (hub->tls == NULL)
		return -(err->code != 0 ? err->code : EIO);
	tls_fingerprint(hub->tls, hub->fingerprint);
	return 0;
}

static int
open_doors(struct hub *hub, struct error *err)
{
	const struct hub_options *o = hub->options;
	int rc = names_check(o, err);

	if (rc == 0)
		rc = open_tls(hub, err);
	gate_init(&hub->gate);
	gate_init_unix(&hub->unix_gate);
	hub->listener = listener_create(hub, routes_begin);
	for (unsigned i = 0; rc == 0 && i < o->n_listen; i++)
		rc = listen_tcp(hub, o->listen[i], err);
	if (rc == 0)
		rc = listener_add_unix(hub->listener, &hub->unix_gate, err);
	return rc;
}

/* As many descriptors as we may have: viewers need two each. */
static void
raise_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &r);
	}
}

/* The parts that answer requests. */
static int
open_parts(struct hub *hub, int *launcher_fd, struct error *err)
{
	static const struct calls_options options = { .client = "tend hub",
		.max = HUB_CALLS_MAX,
		.threads = THREADS,
		.queue = QUEUE,
		.linger_ms = LINGER_MS };
	static char *const nothing[] = { NULL };

	hub->no_environ = nothing;
	hub->scratch = xmalloc(CONNECTION_READ_SIZE);
	hub->loop = loop_create();
	if (hub->loop == NULL)
		return error_set(err, errno, "cannot make a loop: %s",
		    strerror(errno));
	hub->launcher = launcher_create(hub->loop, launcher_fd, on_launcher_end,
	    hub);
	hub->calls = calls_create(hub->loop, &options);
	hub->uploads = uploads_create(hub);
	if (hub->launcher == NULL || hub->calls == NULL || hub->uploads == NULL)
		return error_set(err, errno, "cannot begin to serve: %s",
		    strerror(errno));
	loop_settle(hub->loop, on_settle, hub);
	return watch_signals(hub, err);
}

/* The parts that decide who may do what. */
static int
open_rights(struct hub *hub, struct error *err)
{
	hub->throttle = xcalloc(1, sizeof(*hub->throttle));
	hub->access = access_create();
	hub->store = store_open(hub->loop, &hub->home, err);
	if (hub->store == NULL)
		return -EIO;
	hub->verifier = verifier_create(hub->store);
	hub->audit = audit_create(hub);
	hub->rights = rights_create(hub);
	hub->log_watches = log_watches_create(hub->loop);
	hub->streams = streams_create(hub);
	return 0;
}

int
service_open(struct hub *hub, const struct hub_options *options,
    struct error *err)
{
	auto_close int launcher_fd = -1;
	pid_t pid;
	int rc;

	memset(hub, 0, sizeof(*hub));
	hub->options = options;
	hub->lock = hub->signals = hub->log.fd = -1;
	hub->home.fd = hub->home.sessions_fd = -1;
	list_init(&hub->soon);
	list_init(&hub->dead);
	list_init(&hub->later);
	list_init(&hub->reconsider);
	list_init(&hub->guests);
	id_create(&hub->ids, hub->start);
	hub->started_ms = clock_ms(CLOCK_REALTIME);
	rc = home_open(&hub->home, options->home, true, err);
	/* The launcher ends later, so it must not have the lock. */
	if (rc == 0)
		rc = launcher_fork(hub->home.path, &launcher_fd, &pid, err);
	if (rc == 0)
		rc = take_lock(hub, err);
	failpoint("hub-locked");
	hub_sandbox_prepare();
	if (rc == 0)
		rc = open_log(hub, err);
	raise_limit();
	if (rc == 0)
		rc = open_parts(hub, &launcher_fd, err);
	if (rc == 0)
		rc = open_rights(hub, err);
	if (rc == 0)
		rc = open_doors(hub, err);
	if (rc == 0) {
		hub->directory = directory_create();
		hub->follow = follow_create(hub);
		rights_follow_names(hub->rights);
		failpoint("hub-listening");
		hub_sandbox_enter(hub);
	}
	return rc;
}

void
service_run(struct hub *hub)
{
	log_write(&hub->log, LOG_INFO, "serving", log_str("url", hub->url),
	    log_str("home", hub->home.path), log_str("version", TEND_VERSION),
	    log_str("fingerprint", hub->fingerprint));
	loop_run(hub->loop);
}

void
service_close(struct hub *hub)
{
	if (hub->listener != NULL)
		(void)unlinkat(hub->home.fd, HUB_SOCKET, 0);
	if (hub->streams != NULL) {
		streams_stop(hub->streams);
		on_settle(hub);
	}
	listener_destroy(hub->listener);
	if (hub->loop != NULL)
		on_settle(hub);
	uploads_destroy(hub->uploads);
	rights_destroy(hub->rights);
	audit_destroy(hub->audit);
	follow_destroy(hub->follow);
	directory_destroy(hub->directory);
	streams_destroy(hub->streams);
	log_watches_destroy(hub->log_watches);
	store_close(hub->store);
	verifier_destroy(hub->verifier);
	access_destroy(hub->access);
	free(hub->throttle);
	calls_destroy(hub->calls);
	launcher_destroy(hub->launcher);
	loop_destroy(hub->loop);
	tls_context_destroy(hub->tls);
	free(hub->scratch);
	fd_close(&hub->signals);
	fd_close(&hub->log.fd);
	fd_close(&hub->lock);
	home_close(&hub->home);
}
