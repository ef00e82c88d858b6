#ifndef TEND_TESTS_UNIT_SESSION_TEMP_H
#define TEND_TESTS_UNIT_SESSION_TEMP_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A directory of the test's own, below TMPDIR or /tmp. */
static inline void
temp_make(char out[4096])
{
	const char *tmp = getenv("TMPDIR");

	snprintf(out, 4096, "%s/tend-unit-XXXXXX",
	    tmp != NULL && *tmp != '\0' ? tmp : "/tmp");
	if (mkdtemp(out) == NULL) {
		perror(out);
		abort();
	}
}

static inline void
temp_remove(const char *path)
{
	pid_t pid = fork();

	if (pid == 0) {
		execlp("rm", "rm", "-rf", "--", path, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

static inline unsigned
mode_of(const char *dir, const char *name)
{
	struct stat st = { 0 };
	char *path;

	assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
	if (lstat(path, &st) < 0)
		perror(path);
	free(path);
	return st.st_mode & 07777;
}

#endif
