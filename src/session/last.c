#include "session/last.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "last"
#define INTO "sessions/"

int
last_note(int homefd, const char *id)
{
	char own[32], to[sizeof(INTO) + ID_SIZE];
	struct stat st;
	int e;

	if (fstat(homefd, &st) < 0 || st.st_uid != geteuid())
		return -EACCES;
	snprintf(own, sizeof(own), ".%s.%d", NAME, (int)getpid());
	snprintf(to, sizeof(to), "%s%s", INTO, id);
	unlinkat(homefd, own, 0);
	if (symlinkat(to, homefd, own) < 0)
		return -errno;
	if (renameat(homefd, own, homefd, NAME) == 0)
		return 0;
	e = errno;
	unlinkat(homefd, own, 0);
	return -e;
}

int
last_read(int homefd, char id[ID_SIZE])
{
	char to[sizeof(INTO) + ID_SIZE];
	ssize_t len = readlinkat(homefd, NAME, to, sizeof(to));

	if (len != (ssize_t)(strlen(INTO) + ID_SIZE - 1) ||
	    memcmp(to, INTO, strlen(INTO)) != 0)
		return -ENOENT;
	to[len] = '\0';
	return id_parse(to + strlen(INTO), id) < 0 ? -ENOENT : 0;
}
