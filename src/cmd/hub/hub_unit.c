#include "cmd/hub/hub_unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/path.h"
#include "cmd/hub/hub_unit_text.h"
#include "home/config.h"

#define FIRST_LINE "# Written by 'tend hub install', which may replace it.\n"
#define UNIT_MAX 65536

/* A word as systemd reads it: quoted, without specifiers and variables. */
static void
put_word(struct buf *out, const char *word)
{
	buf_puts(out, " \"");
	for (; *word != '\0'; word++) {
		if (*word == '"' || *word == '\\')
			buf_putc(out, '\\');
		if (*word == '%' || *word == '$')
			buf_putc(out, *word);
		buf_putc(out, *word);
	}
	buf_putc(out, '"');
}

static int
put_value(const char *name, size_t len, char *const *argv, struct buf *out,
    struct error *err)
{
	char program[PATH_MAX];
	ssize_t n;

	if (strncmp(name, "options", len) == 0) {
		for (size_t i = 0; argv[i] != NULL; i++)
			put_word(out, argv[i]);
		return 0;
	}
	n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (n < 0)
		return error_set(err, errno, "cannot find tend itself: %s",
		    strerror(errno));
	program[n] = '\0';
	*strrchr(program, '/') = '\0';
	buf_puts(out, program);
	return 0;
}

int
hub_unit_text(char *const *argv, struct buf *out, struct error *err)
{
	const char *at = text_tend_hub;

	buf_puts(out, FIRST_LINE);
	for (;;) {
		size_t len = strcspn(at, "@");
		int rc;

		buf_append(out, at, len);
		at += len;
		if (*at == '\0')
			break;
		len = strcspn(++at, "@");
		rc = put_value(at, len, argv, out, err);
		if (rc < 0)
			return rc;
		at += len + 1;
	}
	for (size_t i = 0; argv[i] != NULL; i++)
		if (strpbrk(argv[i], "\n\r") != NULL)
			return error_set(err, EINVAL,
			    "a unit cannot have a line break in an option");
	return 0;
}

int
hub_unit_path(char out[PATH_MAX], struct error *err)
{
	char config[PATH_MAX];

	if (!config_user_file(config))
		return error_set(err, ENOENT,
		    "there is no home directory for the unit; set "
		    "XDG_CONFIG_HOME");
	/* Beside tend/config.ini. */
	*strrchr(config, '/') = '\0';
	*strrchr(config, '/') = '\0';
	if (path_join(out, PATH_MAX, config, "systemd/user/" HUB_UNIT) < 0)
		return error_set(err, ENAMETOOLONG,
		    "the path of the unit is too long");
	return 0;
}

/* ----------------------------------------------------------------- writing */

static int
make_dirs(const char *path, struct error *err)
{
	char dir[PATH_MAX];

	for (const char *p = strchr(path + 1, '/'); p != NULL;
	     p = strchr(p + 1, '/')) {
		snprintf(dir, sizeof(dir), "%.*s", (int)(p - path), path);
		if (mkdir(dir, 0755) < 0 && errno != EEXIST)
			return error_set(err, errno, "cannot make %s: %s", dir,
			    strerror(errno));
	}
	return 0;
}

/* A unit of the user stays. */
static int
check_present(const char *path, struct error *err)
{
	struct stat st;
	auto_close int fd = file_open(AT_FDCWD, path, &st);
	struct buf b;
	int rc;

	if (fd == -ENOENT)
		return 0;
	buf_init(&b, UNIT_MAX + 1);
	rc = fd < 0 ? fd : file_read(fd, UNIT_MAX, &b);
	if (rc == 0 &&
	    (b.len < strlen(FIRST_LINE) ||
		memcmp(b.data, FIRST_LINE, strlen(FIRST_LINE)) != 0))
		rc = -EEXIST;
	buf_finish(&b);
	if (rc == 0)
		return 0;
	return error_set(err, EEXIST,
	    "'tend hub install' did not write %s; move it away first, or edit "
	    "it ('--print' shows the text)",
	    path);
}

int
hub_unit_write(const char *path, const struct buf *text, struct error *err)
{
	char temporary[PATH_MAX + 8];
	auto_close int fd = -1;
	int rc = make_dirs(path, err);

	if (rc == 0)
		rc = check_present(path, err);
	if (rc < 0)
		return rc;
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || fd_write_all(fd, text->data, text->len) < 0 ||
	    rename(temporary, path) < 0)
		return error_set(err, errno != 0 ? errno : EIO,
		    "cannot write %s: %s", path, strerror(errno));
	return 0;
}

/* ----------------------------------------------------------------- systemd */

static int
systemctl(char *verb, char *argument, struct error *err)
{
	char program[] = "systemctl", user[] = "--user";
	char *argv[] = { program, user, verb, argument, NULL };
	int status = 0, rc;
	pid_t pid;

	rc = posix_spawnp(&pid, program, NULL, NULL, argv, environ);
	if (rc == 0) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
	}
	if (rc == 0 && status == 0)
		return 0;
	return error_set(err, rc != 0 ? rc : ECHILD,
	    "'systemctl --user %s' %s; without systemd, 'tend hub start' "
	    "starts a hub",
	    verb, rc != 0 ? "cannot be run" : "failed");
}

int
hub_unit_enable(struct error *err)
{
	char reload[] = "daemon-reload", enable[] = "enable";
	char restart[] = "restart", unit[] = HUB_UNIT;
	int rc = systemctl(reload, NULL, err);

	if (rc == 0)
		rc = systemctl(enable, unit, err);
	if (rc == 0)
		rc = systemctl(restart, unit, err);
	return rc;
}

bool
hub_unit_lingers(void)
{
	const struct passwd *pw = getpwuid(getuid());
	char path[PATH_MAX];

	return pw != NULL &&
	    path_join(path, sizeof(path), "/var/lib/systemd/linger",
		pw->pw_name) == 0 &&
	    access(path, F_OK) == 0;
}
