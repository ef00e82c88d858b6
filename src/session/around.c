#include "session/around.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/mem.h"
#include "session/environ.h"

#define KEEPER "tend-keeper"
#define VARIABLE "TEND_SESSION"
#define ANCESTORS_MAX 1000 /* a chain that is longer is not looked through */
#define STAT_MAX 4096

/* A file of a process, ended by a NUL; NULL when it cannot be read. */
static char *
read_proc(pid_t pid, const char *name, size_t max, size_t *len)
{
	char path[64];
	auto_close int fd = -1;
	struct buf b;
	int rc;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	buf_init(&b, max + 1);
	rc = file_read(fd, max, &b);
	*len = b.len;
	if (rc == 0)
		return buf_take(&b);
	buf_finish(&b);
	return NULL;
}

struct ancestor {
	pid_t pid, parent;
	bool keeps; /* it is a session's keeper */
};

/* "PID (NAME) STATE PPID ..."; a name may hold anything, but ends last. */
static bool
look(pid_t pid, struct ancestor *out)
{
	size_t len, name_len;
	auto_free char *stat = read_proc(pid, "stat", STAT_MAX, &len);
	const char *name = stat != NULL ? strchr(stat, '(') : NULL;
	const char *end = stat != NULL ? strrchr(stat, ')') : NULL;

	if (name == NULL || end == NULL || end < name || strlen(end) < 4)
		return false;
	name_len = (size_t)(end - name - 1);
	*out = (struct ancestor){
		.pid = pid,
		.parent = (pid_t)strtol(end + 4, NULL, 10),
		.keeps = name_len == strlen(KEEPER) &&
		    memcmp(name + 1, KEEPER, name_len) == 0,
	};
	return true;
}

static void
copy_id(const char *text, char id[ID_SIZE])
{
	if (text == NULL || id_parse(text, id) < 0)
		id[0] = '\0';
}

/* What the keeper gave to the program that it started. */
static void
ask_program(pid_t pid, char id[ID_SIZE])
{
	size_t len = 0;
	auto_free char *text = read_proc(pid, "environ", ENVIRON_MAX, &len);
	const char *value = NULL;
	char *one[2] = { NULL, NULL };

	for (size_t at = 0; text != NULL && at < len && value == NULL;
	     at += strlen(text + at) + 1) {
		one[0] = text + at;
		value = environ_value(one, VARIABLE);
	}
	copy_id(value, id);
}

bool
around_session(char id[ID_SIZE])
{
	struct ancestor at = { .pid = 0, .parent = getpid() };
	pid_t below = 0;

	for (int i = 0; i < ANCESTORS_MAX && at.parent > 0; i++) {
		below = at.pid;
		if (!look(at.parent, &at)) {
			copy_id(getenv(VARIABLE), id);
			return i < 2 && id[0] != '\0';
		}
		if (at.keeps) {
			ask_program(below, id);
			return true;
		}
	}
	id[0] = '\0';
	return false;
}
