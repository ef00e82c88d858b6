/* tend-host: one session's log, screen and viewers; started by its keeper. */

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/loop.h"
#include "base/version.h"
#include "host/host.h"
#include "host/system/sandbox.h"

/* There are many hosts, and most are idle: return memory early. */
static void
be_small(void)
{
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TRIM_THRESHOLD, 64 << 10);
	mallopt(M_MMAP_THRESHOLD, 64 << 10);
	mallopt(M_TOP_PAD, 16 << 10);
}

/* For `tend doctor`; a keeper passes no arguments. */
static int
say_version(void)
{
	static const char text[] = "tend-host " TEND_VERSION "\n";

	return fd_write_all(1, text, sizeof(text) - 1) < 0;
}

int
main(int argc, char **argv)
{
	struct host host;
	struct error err;
	int rc;

	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return say_version();
	json_tree_guard();
	be_small();
	umask(0077);                     /* all files are the owner's alone */
	prctl(PR_SET_NAME, "tend-host"); /* fexecve leaves a number there */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* the write fails as on a full disk */
	rc = host_open(&host, &err);
	if (rc == 0) {
		sandbox_enter(&host.session.log);
		loop_run(host.session.loop);
	}
	host_close(&host);
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
