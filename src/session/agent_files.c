#include "session/agent_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/profile.h"
#include "agent/profiles.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/path.h"

#define USER_DIR "tend/agents"
#define COPIES "agents"
#define SUFFIX ".ini"

bool
agent_files_dir(char out[PATH_MAX])
{
	return path_config(USER_DIR, out, PATH_MAX);
}

/* The length of the profile's name; 0: another file. */
static size_t
name_len(const char *file)
{
	size_t len = strlen(file), end = sizeof(SUFFIX) - 1;

	if (file[0] == '.' || len <= end ||
	    strcmp(file + len - end, SUFFIX) != 0)
		return 0;
	return len - end;
}

static int
is_profile(const struct dirent *e)
{
	return name_len(e->d_name) > 0;
}

static int
read_text(int dirfd, const char *file, struct buf *text, struct error *err)
{
	auto_close int fd = openat(dirfd, file,
	    O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0)
		return error_set(err, errno, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(err, EINVAL, "it is not a regular file");
	rc = file_read(fd, AGENT_FILE_MAX, text);
	if (rc == -EFBIG)
		return error_set(err, EFBIG, "it has more than %u bytes",
		    AGENT_FILE_MAX);
	return rc < 0 ? error_set(err, -rc, "%s", strerror(-rc)) : 0;
}

/* Call fn with the text of each file; the reason if there is none. */
typedef void text_fn(void *arg, const char *file, const struct buf *text,
    const char *why);

/* 0, or -errno if the directory cannot be read. */
static int
each_text(int dirfd, const char *dir, text_fn *fn, void *arg)
{
	struct dirent **entries;
	int n = scandirat(dirfd, dir, &entries, is_profile, alphasort);
	auto_close int fd = openat(dirfd, dir,
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		const char *file = entries[i]->d_name;
		struct error err;
		struct buf text;

		buf_init(&text, AGENT_FILE_MAX + 1);
		if (i >= AGENT_FILES_MAX)
			fn(arg, file, NULL, "there are too many files");
		else if (read_text(fd, file, &text, &err) < 0)
			fn(arg, file, NULL, err.msg);
		else
			fn(arg, file, &text, NULL);
		buf_finish(&text);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/* ---------------------------------------------------------------- reading */

struct taking {
	struct agent_profiles *all;
	agent_files_fn *refused;
	void *arg;
};

static void
refuse(const struct taking *t, const char *file, const char *why)
{
	if (t->refused != NULL)
		t->refused(t->arg, file, why);
}

static void
add(void *arg, const char *file, const struct buf *text, const char *why)
{
	const struct taking *t = arg;
	char name[NAME_MAX + 1];
	struct error err;

	snprintf(name, sizeof(name), "%.*s", (int)name_len(file), file);
	if (text == NULL)
		refuse(t, file, why);
	else if (agent_profiles_add(t->all, name,
		     text->len > 0 ? (const char *)text->data : "", text->len,
		     &err) < 0)
		refuse(t, file, err.msg);
}

void
agent_files_read(int dirfd, const char *dir, struct agent_profiles *all,
    agent_files_fn *refused, void *arg)
{
	struct taking t = { .all = all, .refused = refused, .arg = arg };
	int rc = each_text(dirfd, dir, add, &t);

	if (rc < 0 && rc != -ENOENT)
		refuse(&t, "", strerror(-rc));
}

void
agent_files_take(int session_dirfd, struct agent_profiles *all)
{
	agent_files_read(session_dirfd, COPIES, all, NULL, NULL);
}

/* ---------------------------------------------------------------- copying */

static void
copy(void *arg, const char *file, const struct buf *text, const char *why)
{
	const int *to = arg;
	auto_close int fd = -1;

	(void)why;
	if (text == NULL)
		return;
	fd = openat(*to, file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0 && text->len > 0 &&
	    fd_write_all(fd, text->data, text->len) < 0)
		(void)unlinkat(*to, file, 0);
}

void
agent_files_copy(int session_dirfd)
{
	auto_close int to = -1;
	char dir[PATH_MAX];

	if (!agent_files_dir(dir) || access(dir, R_OK) < 0 ||
	    mkdirat(session_dirfd, COPIES, 0700) < 0)
		return;
	to = openat(session_dirfd, COPIES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (to >= 0)
		(void)each_text(AT_FDCWD, dir, copy, &to);
}
