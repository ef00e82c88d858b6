/*
 * The program inside of a measured session:
 *
 *	load SOCKET
 *
 * It echoes input byte by byte, and obeys commands from a stream socket that
 * it connects to:
 *
 *	say N			print the marker @@N@@ on a line
 *	go KIND BYTES N		print that much of a corpus, then the marker;
 *				answers "done START END BYTES", in nanoseconds
 *
 * It sends "ready" when it begins, and ends with the connection.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "corpus.h"

#define CORPUS_SIZE (4u << 20)
#define WRITE_SIZE (64u << 10)

static void
say(const char *number)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "\n@@%.20s@@\n", number);

	write_all(STDOUT_FILENO, line, (size_t)n);
}

static enum corpus_kind
kind_of(const char *name)
{
	for (int k = 0; k < CORPUS_KINDS; k++)
		if (strcmp(corpus_name((enum corpus_kind)k), name) == 0)
			return (enum corpus_kind)k;
	fprintf(stderr, "load: there is no corpus %s\n", name);
	exit(2);
}

/* Whole corpora until there are enough bytes: none ends in a sequence. */
static void
go(FILE *control, const char *kind, size_t bytes, const char *number)
{
	struct corpus c;
	long long start, end;
	size_t done = 0;

	corpus_make(&c, kind_of(kind), 80, 24, 1, CORPUS_SIZE, 0);
	start = now_ns();
	while (done < bytes) {
		for (size_t at = 0; at < c.len; at += WRITE_SIZE) {
			size_t rest = c.len - at;

			write_all(STDOUT_FILENO, c.data + at,
			    rest < WRITE_SIZE ? rest : WRITE_SIZE);
		}
		done += c.len;
	}
	end = now_ns();
	corpus_finish(&c);
	write_all(STDOUT_FILENO, "\033[m", 3);
	say(number);
	fprintf(control, "done %lld %lld %zu\n", start, end, done);
}

static void
obey(FILE *control, char *line)
{
	char kind[16], number[24];
	size_t bytes;

	if (sscanf(line, "say %23s", number) == 1) {
		say(number);
		return;
	}
	if (sscanf(line, "go %15s %zu %23s", kind, &bytes, number) == 3)
		go(control, kind, bytes, number);
}

static void
echo(void)
{
	char bytes[256];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));

	if (n <= 0)
		exit(0);
	write_all(STDOUT_FILENO, bytes, (size_t)n);
}

/* Whole lines, several at once; stdio would hide some of them from poll. */
static void
listen_to(FILE *control)
{
	static char lines[4096];
	static size_t have;
	ssize_t n = read(fileno(control), lines + have,
	    sizeof(lines) - 1 - have);
	char *line = lines, *end;

	if (n <= 0)
		exit(0);
	have += (size_t)n;
	lines[have] = '\0';
	while ((end = strchr(line, '\n')) != NULL) {
		*end = '\0';
		obey(control, line);
		line = end + 1;
	}
	have -= (size_t)(line - lines);
	memmove(lines, line, have);
}

static FILE *
control_open(const char *path)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	FILE *f;

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&un, sizeof(un)) < 0)
		die(path);
	f = fdopen(fd, "r+");
	if (f == NULL)
		die("fdopen");
	setvbuf(f, NULL, _IOLBF, 4096);
	return f;
}

static void
no_echo(void)
{
	struct termios t;

	if (tcgetattr(STDIN_FILENO, &t) < 0)
		die("tcgetattr");
	t.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
	t.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	tcsetattr(STDIN_FILENO, TCSANOW, &t);
}

int
main(int argc, char **argv)
{
	FILE *control;

	if (argc != 2) {
		fputs("usage: load SOCKET\n", stderr);
		return 2;
	}
	no_echo();
	write_all(STDOUT_FILENO, "+", 1);
	control = control_open(argv[1]);
	fprintf(control, "ready %d %lld\n", (int)getpid(), now_ns());
	for (;;) {
		struct pollfd fds[2] = {
			{ .fd = STDIN_FILENO, .events = POLLIN },
			{ .fd = fileno(control), .events = POLLIN },
		};

		if (poll(fds, 2, -1) < 0)
			die("poll");
		if (fds[0].revents != 0)
			echo();
		if (fds[1].revents == 0)
			continue;
		listen_to(control);
	}
}
