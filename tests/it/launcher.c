/*
 * launcher HOME COMMAND...
 *
 * Starts a session as `tend run -d` does, in a home that is created if
 * necessary. Prints its id and the microseconds that it took, or the error,
 * with the right exit status.
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

static int
run(const char *path, struct manifest *m)
{
	int64_t begun = now_us();
	struct error err;
	struct home h;
	int code = 125, rc = home_open(&h, path, true, &err);

	if (rc == 0) {
		rc = launch_session(&h, m, environ, &code, &err);
		home_close(&h);
	}
	if (rc < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return code;
	}
	printf("%s %" PRId64 "\n", m->id, now_us() - begun);
	return 0;
}

int
main(int argc, char **argv)
{
	struct manifest m;
	int code;

	if (argc < 3) {
		fprintf(stderr, "usage: launcher HOME COMMAND...\n");
		return 2;
	}
	manifest_init(&m);
	m.command = copy_words(argv + 2, argc - 2);
	code = run(argv[1], &m);
	manifest_finish(&m);
	return code;
}
