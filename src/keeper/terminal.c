#include "keeper/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

/*
 * After reading so many bytes, wake the host, if it sleeps, and handle the
 * other descriptors.  This is a part of the ring, so that the host can take
 * one part of a flood while the next is read.
 */
#define TURN (RING_SIZE / 4)

/*
 * A read with so few bytes has emptied the terminal: another would cost an
 * echo a system call.  After a larger one there is probably more.
 */
#define FLOOD 1024

/* After so much output, free memory of the ring, and after this delay. */
#define GIVE_BACK (64u << 10)
#define GIVE_BACK_MS 1000

/* More than the kernel buffers for a terminal (8 KiB and 4 KiB). */
#define PENDING_MAX (64u << 10)

static int
open_slave(int master)
{
	return ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

/* In cooked mode, the erase key must know the size of a character. */
static int
set_utf8(int fd, struct termios *tio)
{
	if (tcgetattr(fd, tio) < 0)
		return -1;
	tio->c_iflag |= IUTF8;
	return tcsetattr(fd, TCSANOW, tio);
}

static int
open_pty(struct terminal *t, unsigned cols, unsigned rows)
{
	struct winsize size = {
		.ws_col = (unsigned short)cols,
		.ws_row = (unsigned short)rows,
	};
	auto_close int master = posix_openpt(
	    O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return -errno;
	t->slave = open_slave(master);
	if (t->slave < 0 || set_utf8(t->slave, &t->fresh) < 0 ||
	    ioctl(master, TIOCSWINSZ, &size) < 0)
		return -errno;
	t->master = fd_take(&master);
	return 0;
}

static int
open_ring(struct terminal *t)
{
	t->ring_fd = ring_create();
	if (t->ring_fd < 0)
		return t->ring_fd;
	t->output = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t->room = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (t->output < 0 || t->room < 0)
		return -errno;
	return ring_map(&t->ring, t->ring_fd);
}

int
terminal_open(struct terminal *t, unsigned cols, unsigned rows,
    enum launch_stage *stage)
{
	int rc;

	*t = (struct terminal){ .master = -1, .slave = -1 };
	*stage = LAUNCH_TERMINAL;
	rc = open_pty(t, cols, rows);
	if (rc < 0)
		return rc;
	*stage = LAUNCH_RING;
	rc = open_ring(t);
	if (rc < 0)
		return rc;
	t->ring.shared->sized = cols << 16 | rows;
	return 0;
}

void
terminal_close(struct terminal *t)
{
	fd_close(&t->master);
	fd_close(&t->slave);
}

void
terminal_take_back(struct terminal *t)
{
	int slave;

	if (!t->over || t->slave < 0)
		return;
	slave = open_slave(t->master);
	if (slave < 0)
		return;
	fd_close(&t->slave);
	t->slave = slave;
	t->over = false;
}

int
terminal_renew(struct terminal *t)
{
	auto_close int slave = open_slave(t->master);

	if (slave < 0 || tcsetattr(slave, TCSAFLUSH, &t->fresh) < 0)
		return -errno;
	fd_close(&t->slave);
	t->slave = fd_take(&slave);
	t->over = false;
	return 0;
}

void
terminal_let_go(struct terminal *t)
{
	fd_close(&t->slave);
	t->over = false;
}

int
terminal_wants(struct terminal *t)
{
	if (t->master < 0 || t->over)
		return -1;
	t->full = ring_room(&t->ring) == 0 && ring_keeper_sleeps(&t->ring);
	return t->full ? -1 : t->master;
}

void
terminal_has_room(struct terminal *t)
{
	eventfd_t count;

	eventfd_read(t->room, &count);
	ring_keeper_wakes(&t->ring);
}

uint64_t
terminal_offset(const struct terminal *t)
{
	return t->ring.shared->head;
}

static bool
has_used_much(const struct terminal *t)
{
	return terminal_offset(t) - t->given_back >= GIVE_BACK;
}

int64_t
terminal_due_ms(const struct terminal *t)
{
	return t->used_ms == 0 ? CLOCK_NEVER : t->used_ms + GIVE_BACK_MS;
}

/* Bytes that the host has not taken yet are freed the next time. */
void
terminal_give_back(struct terminal *t)
{
	ring_give_back(&t->ring);
	t->given_back = t->ring.shared->tail;
	t->used_ms = 0;
}

/* Read once, as much as there is room for; 0: nothing came. */
static size_t
read_some(struct terminal *t, int64_t now_ms)
{
	size_t room = ring_room(&t->ring);
	ssize_t n;

	t->full = room == 0;
	if (t->full)
		return 0;
	n = read(t->master, ring_at(&t->ring, terminal_offset(t)), room);
	if (n > 0) {
		t->wake |= ring_produced(&t->ring, (size_t)n);
		t->read_ms = now_ms;
		if (t->used_ms == 0 && has_used_much(t))
			t->used_ms = now_ms;
		return (size_t)n;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		t->over = true;
		terminal_take_back(t);
	}
	return 0;
}

static void
wake_host(struct terminal *t)
{
	if (t->wake)
		eventfd_write(t->output, 1);
	t->wake = false;
}

void
terminal_read(struct terminal *t, int64_t now_ms)
{
	size_t sum = 0, n;

	do {
		n = read_some(t, now_ms);
		sum += n;
	} while (n >= FLOOD && sum < TURN);
	wake_host(t);
}

bool
terminal_settle(struct terminal *t, int64_t now_ms)
{
	size_t n = 1;

	while (n > 0 && t->settled < PENDING_MAX) {
		n = read_some(t, now_ms);
		t->settled += n;
	}
	wake_host(t);
	if (t->full && t->settled < PENDING_MAX)
		return false;
	t->settled = 0;
	return true;
}
