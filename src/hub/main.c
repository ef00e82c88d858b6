/* tend-hub: serves the sessions of a home over HTTP and WebSocket. */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/number.h"
#include "base/version.h"
#include "hub/hub.h"
#include "hub/service.h"

enum { OPT_LISTEN = 256, OPT_HOST, OPT_TLS, OPT_HEADER, OPT_FROM, OPT_READY };

/* `tend hub start` reads the options of people and passes these. */
static const struct option long_options[] = {
	{ "home", required_argument, NULL, 'H' },
	{ "listen", required_argument, NULL, OPT_LISTEN },
	{ "host", required_argument, NULL, OPT_HOST },
	{ "tls", required_argument, NULL, OPT_TLS },
	{ "proxy-header", required_argument, NULL, OPT_HEADER },
	{ "proxy-from", required_argument, NULL, OPT_FROM },
	{ "ready-fd", required_argument, NULL, OPT_READY },
	{ "foreground", no_argument, NULL, 'f' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static int
take_fd(const char *text, int *fd)
{
	uint64_t n;

	if (!number_take(&text, INT_MAX, &n) || *text != '\0')
		return -1;
	*fd = (int)n;
	/* New sessions do not get it. */
	return fcntl(*fd, F_SETFD, FD_CLOEXEC);
}

/* 0, or -1 for a wrong option. */
static int
take_option(struct hub_options *o, int c)
{
	switch (c) {
	case 'H':
		o->home = optarg;
		return 0;
	case 'f':
		o->foreground = true;
		return 0;
	case OPT_LISTEN:
		if (o->n_listen == HUB_ADDRESSES_MAX)
			return -1;
		o->listen[o->n_listen++] = optarg;
		return 0;
	case OPT_HOST:
		if (o->n_hosts == HUB_HOSTS_MAX)
			return -1;
		o->hosts[o->n_hosts++] = optarg;
		return 0;
	case OPT_TLS:
		o->tls = optarg;
		return 0;
	case OPT_HEADER:
		o->proxy_header = optarg;
		return 0;
	case OPT_FROM:
		o->proxy_from = optarg;
		return 0;
	case OPT_READY:
		return take_fd(optarg, &o->ready_fd);
	default:
		return -1;
	}
}

/*
 * The starter waits for one line: "ok", or an errno value, a blank and the
 * reason for the failure.
 */
static void
report(int fd, int rc, const struct error *err)
{
	if (fd >= 0 && rc == 0)
		dprintf(fd, "ok\n");
	else if (fd >= 0)
		dprintf(fd, "%d %s\n", -rc, err->msg);
	if (fd >= 0)
		close(fd);
	if (rc < 0)
		fprintf(stderr, "tend-hub: %s\n", err->msg);
}

static int
serve(const struct hub_options *o)
{
	struct hub hub;
	struct error err;
	int rc = service_open(&hub, o, &err);

	if (rc < 0) {
		/* After its report another hub may start; nothing is left. */
		service_close(&hub);
		report(o->ready_fd, rc, &err);
		return 1;
	}
	report(o->ready_fd, rc, &err);
	service_run(&hub);
	service_close(&hub);
	return hub.status;
}

/* The status of a wrong command line, after the starter has heard of it. */
static int
refuse(const struct hub_options *o)
{
	struct error err;

	report(o->ready_fd,
	    error_set(&err, EINVAL,
		"wrong options for the hub: there are at most %d addresses "
		"and %d names; start it with \"tend hub start\"",
		HUB_ADDRESSES_MAX, HUB_HOSTS_MAX),
	    &err);
	return 2;
}

int
main(int argc, char **argv)
{
	struct hub_options o = { .ready_fd = -1 };
	bool wrong = false;
	int c;

	if (fd_open_standard() < 0)
		return 1;
	json_tree_guard();
	while (
	    (c = getopt_long(argc, argv, "H:fV", long_options, NULL)) != -1) {
		if (c == 'V') {
			puts("tend-hub " TEND_VERSION);
			return 0;
		}
		wrong = take_option(&o, c) < 0 || wrong;
	}
	if (wrong || optind < argc)
		return refuse(&o);
	if (o.n_listen == 0)
		o.listen[o.n_listen++] = HUB_ADDRESS;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a limit of files is a full disk */
	prctl(PR_SET_NAME, "tend-hub");
	return serve(&o);
}
