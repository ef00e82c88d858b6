#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "cmd/doctor/capture.h"
#include "cmd/doctor/checks.h"

/* Checks the limits of the machine that affect sessions. */

#define FILES_LEAST 64   /* for a host with a few viewers */
#define FILES_WANTED 512 /* for a host with the most viewers, 256 */
#define TASKS_EACH 6     /* keeper, host with its threads, program */
#define SESSIONS_WANTED 20
#define FONTS_MS 5000

static unsigned long
shown(rlim_t n)
{
	return n == RLIM_INFINITY ? ~0ul : (unsigned long)n;
}

void
check_files(struct checkup *c)
{
	struct rlimit limit = { 0 };
	char fix[64];

	(void)getrlimit(RLIMIT_NOFILE, &limit);
	snprintf(fix, sizeof(fix), "ulimit -n %lu",
	    shown(limit.rlim_max) < 4096 ? shown(limit.rlim_max) : 4096ul);
	if (limit.rlim_cur < FILES_LEAST)
		checkup_bad(c, CHECKUP_PROBLEM,
		    "sessions cannot start or serve", fix,
		    "a process can have %lu open files", shown(limit.rlim_cur));
	else if (limit.rlim_cur < FILES_WANTED)
		checkup_bad(c, CHECKUP_WARNING,
		    "a session serves up to 256 viewers, each with an open file",
		    fix, "a process can have %lu open files",
		    shown(limit.rlim_cur));
	else if (limit.rlim_cur == RLIM_INFINITY)
		checkup_ok(c, "no limit of open files");
	else
		checkup_ok(c, "a process can have %lu open files",
		    shown(limit.rlim_cur));
}

/* The limit does not apply to root. */
void
check_processes(struct checkup *c)
{
	struct rlimit limit = { 0 };

	(void)getrlimit(RLIMIT_NPROC, &limit);
	if (geteuid() == 0 || limit.rlim_cur == RLIM_INFINITY)
		checkup_ok(c, "no limit");
	else if (limit.rlim_cur < TASKS_EACH * SESSIONS_WANTED)
		checkup_bad(c, CHECKUP_WARNING,
		    "a session needs about six, including threads",
		    "raise nproc in /etc/security/limits.conf",
		    "you can run %lu processes", shown(limit.rlim_cur));
	else
		checkup_ok(c, "you can run %lu; a session needs about %d",
		    shown(limit.rlim_cur), TASKS_EACH);
}

static long
read_number(const char *path)
{
	FILE *f = fopen(path, "re");
	char text[32];
	long n = -1;

	if (f == NULL)
		return -1;
	if (fgets(text, sizeof(text), f) != NULL)
		n = strtol(text, NULL, 10);
	fclose(f);
	return n;
}

void
check_terminals(struct checkup *c)
{
	long max = read_number("/proc/sys/kernel/pty/max");
	long used = read_number("/proc/sys/kernel/pty/nr");
	auto_close int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		checkup_bad(c, CHECKUP_PROBLEM,
		    "every session needs a pseudo-terminal",
		    "sysctl kernel.pty.max=8192",
		    "no pseudo-terminal can be opened: %s", strerror(errno));
	else if (max > 0 && used > max / 10 * 9)
		checkup_bad(c, CHECKUP_WARNING, "every session needs one",
		    "sysctl kernel.pty.max=8192",
		    "%ld of %ld pseudo-terminals are in use", used, max);
	else
		checkup_ok(c, "%ld of %ld pseudo-terminals are in use", used,
		    max);
}

void
check_memory(struct checkup *c)
{
	auto_close int fd = memfd_create("tend-doctor", MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, 1 << 16) == 0)
		checkup_ok(c, "memory can be shared");
	else
		checkup_bad(c, CHECKUP_PROBLEM,
		    "a keeper shares memory with its host; no session can start",
		    NULL, "memory cannot be shared (memfd_create): %s",
		    strerror(errno));
}

/* root is exempt by default (KillExcludeUsers=root). */
void
check_lingering(struct checkup *c)
{
	const struct passwd *pw = getpwuid(getuid());
	char path[PATH_MAX];

	if (access("/run/systemd/system", F_OK) < 0)
		checkup_ok(c, "not applicable: systemd does not run here");
	else if (getuid() == 0 || pw == NULL)
		checkup_ok(c, "not applicable to root");
	else if (path_join(path, sizeof(path), "/var/lib/systemd/linger",
		     pw->pw_name) == 0 &&
	    access(path, F_OK) == 0)
		checkup_ok(c, "on: sessions keep running when you log out");
	else
		checkup_bad(c, CHECKUP_WARNING,
		    "with KillUserProcesses=yes, logging out ends all your "
		    "sessions; without lingering they also get no cgroup",
		    "loginctl enable-linger", "off");
}

/* True if a font has these characters, a set in fontconfig's syntax. */
static int
has_font(char *set)
{
	char list[] = "fc-list", line[256] = "";
	char *const argv[] = { list, set, NULL };
	int rc = capture_line(argv, FONTS_MS, line, sizeof(line));

	return rc < 0 ? rc : line[0] != '\0';
}

/* Fonts matter only for drawing images on this machine. */
void
check_fonts(struct checkup *c)
{
	char boxes[] = ":spacing=mono:charset=2502 2588";
	char emoji[] = ":charset=1f600";
	int with_boxes = has_font(boxes), with_emoji = has_font(emoji);

	if (with_boxes < 0)
		checkup_ok(c,
		    "unknown (no fc-list); only pictures drawn on this machine "
		    "need fonts");
	else if (with_boxes == 0)
		checkup_ok(c,
		    "no fixed-width font with lines; for pictures drawn here: "
		    "apt install fonts-dejavu-core");
	else if (with_emoji == 0)
		checkup_ok(c,
		    "no font with emoji; for pictures drawn here: apt install "
		    "fonts-noto-color-emoji");
	else
		checkup_ok(c,
		    "fonts with lines, blocks and emoji are installed");
}
