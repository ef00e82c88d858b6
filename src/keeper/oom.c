#include "keeper/oom.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"

#define PATH "/proc/self/oom_score_adj"

int
oom_score(void)
{
	char text[16] = "";
	auto_close int fd = open(PATH, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return 0;
	return (int)strtol(text, NULL, 10);
}

void
oom_set_score(int score)
{
	char text[16];
	auto_close int fd = open(PATH, O_WRONLY | O_CLOEXEC);
	int len = snprintf(text, sizeof(text), "%d", score);

	if (fd >= 0)
		fd_write_all(fd, text, (size_t)len);
}
