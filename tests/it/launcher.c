/*
 * launcher HOME COMMAND...
 *
 * Starts a session in a home that is made if need be, as `tend run -d` does,
 * and prints its id and the microseconds that took; or why not, with the exit
 * status that fits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "session/home.h"
#include "session/launch.h"
#include "session/manifest.h"

static int64_t
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ll + now.tv_nsec / 1000;
}

static char **
copy_words(char **words, int n)
{
	char **copy = xcalloc((size_t)n + 1, sizeof(*copy));

	for (int i = 0; i < n; i++)
		copy[i] = xstrdup(words[i]);
	return copy;
}

int
main(int argc, char **argv)
{
	struct manifest m;
	struct error err;
	struct home h;
	int64_t begun = now_us();
	int code = 125;

	if (argc < 3) {
		fprintf(stderr, "usage: launcher HOME COMMAND...\n");
		return 2;
	}
	manifest_init(&m);
	m.command = copy_words(argv + 2, argc - 2);
	if (home_open(&h, argv[1], true, &err) < 0 ||
	    launch_session(&h, &m, environ, &code, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return code;
	}
	printf("%s %" PRId64 "\n", m.id, now_us() - begun);
	home_close(&h);
	manifest_finish(&m);
	return 0;
}
