#include "home/agent_files.h"

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
#include "home/config.h"

#define SUFFIX ".ini"

bool
agent_files_dir(char out[PATH_MAX])
{
	char file[PATH_MAX], *slash;

	if (!config_user_file(file))
		return false;
	slash = strrchr(file, '/');
	*slash = '\0';
	return path_join(out, PATH_MAX, file, "agents") == 0;
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
read_text(const char *path, struct buf *text, struct error *err)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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

static int
add(struct agent_profiles *all, const char *path, const char *file,
    struct error *err)
{
	char name[NAME_MAX + 1];
	struct buf text;
	int rc;

	snprintf(name, sizeof(name), "%.*s", (int)name_len(file), file);
	buf_init(&text, AGENT_FILE_MAX + 1);
	rc = read_text(path, &text, err);
	if (rc == 0)
		rc = agent_profiles_add(all, name,
		    text.len > 0 ? (const char *)text.data : "", text.len, err);
	buf_finish(&text);
	return rc;
}

void
agent_files_read(struct agent_profiles *all, agent_files_fn *refused, void *arg)
{
	char dir[PATH_MAX], path[PATH_MAX];
	struct dirent **entries;
	struct error err;
	int n;

	if (!agent_files_dir(dir))
		return;
	n = scandir(dir, &entries, is_profile, alphasort);
	if (n < 0) {
		if (errno != ENOENT)
			refused(arg, dir, strerror(errno));
		return;
	}
	for (int i = 0; i < n; i++) {
		if (path_join(path, sizeof(path), dir, entries[i]->d_name) ==
			0 &&
		    add(all, path, entries[i]->d_name, &err) < 0)
			refused(arg, path, err.msg);
		free(entries[i]);
	}
	free(entries);
}
