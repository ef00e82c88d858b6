#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/loop.h"
#include "host/ask/cursor_line.h"
#include "host/ask/exec_state.h"
#include "host/core/events.h"
#include "host/core/session.h"
#include "host/input/input.h"
#include "host/serve/connection.h"
#include "host/serve/requests.h"
#include "host/serve/server.h"
#include "host/system/proc.h"
#include "shell/integration.h"
#include "shell/typing.h"
#include "vt/input_modes.h"
#include "vt/text.h"
#include "vt/vt.h"
#include "wire/frame.h"

/* The runs: where and how a command is typed. */

/*
 * The line editor of fish takes seconds for this much text, and four times as
 * long for twice as much.  With our integration, fish does not have to read
 * it.
 */
#define FISH_TYPED_MAX (8u << 10)

static int
type_bytes(struct execs *r, struct connection *c, const struct buf *b)
{
	struct input_piece piece = {
		.kind = INPUT_TEXT,
		.key = r->run.once,
		.p = b->data,
		.len = b->len,
	};
	uint64_t seq;

	return server_type(r->server, c, &piece, &seq);
}

/* Line breaks of the wrapper are Enter keys, but not inside a paste. */
static void
put_pasted(struct buf *b, const char *p, size_t len)
{
	buf_puts(b, "\033[200~");
	for (size_t i = 0; i < len; i++)
		buf_putc(b, p[i] == '\r' ? '\n' : p[i]);
	buf_puts(b, "\033[201~\r");
}

static bool
pastes(const struct execs *r)
{
	struct input_modes modes = { 0 };

	if (r->session->display.vt != NULL)
		vt_input_modes(r->session->display.vt, &modes);
	return modes.bracketed_paste;
}

static enum typing_dialect
dialect(const struct execs *r)
{
	return r->run.way == WAY_ANY ? TYPING_ANY : typing_dialect_of(r->shell);
}

/*
 * Memory that the shell reads as a file, by its descriptor number here.  It
 * needs no disk and leaves nothing behind.  False: no such memory is
 * available.
 */
static bool
put_script(struct exec *u, struct buf *line)
{
	struct buf b;
	bool done;

	buf_init(&b, INPUT_BYTES_MAX);
	typing_script(&b, u->command, u->key);
	u->script_fd = memfd_create("tend-exec", MFD_CLOEXEC);
	done = !b.full && u->script_fd >= 0 &&
	    write(u->script_fd, b.data, b.len) == (ssize_t)b.len;
	buf_finish(&b);
	if (done)
		buf_printf(line,
		    " eval \"$(builtin string collect </proc/%d/fd/%d)\"\r",
		    (int)getpid(), u->script_fd);
	else
		fd_close(&u->script_fd);
	return done;
}

static void
put_wrapped(struct execs *r, struct buf *b)
{
	struct exec *u = &r->run;
	struct buf line;

	buf_init(&line, INPUT_BYTES_MAX);
	if (u->way != WAY_FISH || !put_script(u, &line))
		typing_wrap(&line, dialect(r), u->command, u->key);
	if (line.full) {
		b->full = true;
	} else if (pastes(r)) {
		/* fish removes the blank at the beginning of a paste. */
		buf_putc(b, ' ');
		put_pasted(b, (char *)line.data + 1, line.len - 2);
	} else {
		buf_append(b, line.data, line.len);
	}
	buf_finish(&line);
}

static void
put_typing(struct execs *r, struct buf *b)
{
	const struct exec *u = &r->run;

	if (exec_is_wrapped(u))
		put_wrapped(r, b);
	else if (u->way == WAY_PASTE)
		put_pasted(b, u->command, strlen(u->command));
	else
		buf_printf(b, "%s\r", u->command);
}

/* The text before the cursor is the prompt of a shell without marks. */
static void
note_prompt(struct execs *r)
{
	struct vt_cursor c;

	if (r->session->display.vt == NULL)
		return;
	vt_cursor(r->session->display.vt, &c);
	if (c.col == 0)
		return; /* not shown yet */
	r->other_col = c.col;
	buf_clear(&r->other_prompt);
	cursor_line_before_cursor(r->session->display.vt, &r->other_prompt);
}

bool
exec_prompt_is_back(const struct execs *r)
{
	const struct buf *known = &r->other_prompt;
	struct vt_cursor c;
	struct buf now;
	bool same;

	if (r->session->display.vt == NULL || known->len == 0)
		return false;
	vt_cursor(r->session->display.vt, &c);
	buf_init(&now, CURSOR_LINE_ROW_BYTES);
	cursor_line_before_cursor(r->session->display.vt, &now);
	same = c.col == r->other_col && buf_equals(&now, known);
	buf_finish(&now);
	return same;
}

/*
 * A character that shells may misread is typed as up to 20 bytes.  So a
 * command within the limit may still be too long.
 */
static int
refuse_long(const struct execs *r, struct error *err)
{
	return error_set(err, EINVAL,
	    "session.exec: 'command' (%zu bytes) is too long to be typed at "
	    "this shell; write it to a file and run that",
	    strlen(r->run.command));
}

/* Type the waiting command.  Returns 0, or -errno and the reason. */
static int
type_now(struct execs *r, struct connection *c, struct error *err)
{
	struct exec *u = &r->run;
	uint64_t head = atomic_load(&r->session->terminal.ring.shared->head);
	struct buf b;
	int status;

	buf_init(&b, INPUT_BYTES_MAX);
	put_typing(r, &b);
	if (b.full) {
		buf_finish(&b);
		return refuse_long(r, err);
	}
	if (!u->exact)
		note_prompt(r);
	if (exec_is_wrapped(u))
		exec_hold_echo(r, head, &b);
	status = type_bytes(r, c, &b);
	buf_finish(&b);
	if (status != TAKEN_WRITTEN && status != INPUT_WAITS)
		return requests_not_typed(status, err);
	u->stage = EXEC_TYPED;
	u->from = u->to = head;
	u->event = event_run(r->session, u->command, c->by, u->once,
	    exec_capture_name(u));
	exec_note(r);
	if (u->exact)
		exec_set_at(r, AT_COMMAND);
	r->ahead = false;
	return 0;
}

/* ---------------------------------------------------------- where to type */

/* Programs that are not shells, but may show the prompt of one. */
static const char *const carriers[] = {
	"ssh",
	"mosh-client",
	"et",
	"telnet",
	"docker",
	"podman",
	"kubectl",
	"lxc",
	"incus",
	"su",
	"sudo",
	"doas",
	"login",
	"nsenter",
	"chroot",
	"unshare",
	"machinectl",
	"tmux: client",
	"screen",
};

static bool
carries(const char *name)
{
	for (size_t i = 0; i < sizeof(carriers) / sizeof(carriers[0]); i++)
		if (strcmp(name, carriers[i]) == 0)
			return true;
	return shell_is_program(name);
}

/* The process whose group has the terminal; false if it cannot be found. */
static bool
foreground(const struct execs *r, struct proc *out)
{
	pid_t pgrp = tcgetpgrp(r->session->terminal.master);

	return pgrp > 0 && proc_read(pgrp, out);
}

bool
exec_shell_is_in_front(const struct execs *r)
{
	struct proc p;

	return foreground(r, &p) && p.pid == r->session->manifest.child.pid;
}

/*
 * A line editor reads keys, which no shell does while it reads its files or
 * runs a command.  The other shells are known to be between commands.
 */
bool
exec_shell_is_unmarked(const struct execs *r)
{
	return exec_shell_is_in_front(r) &&
	    (r->shell == SHELL_SH ?
		    r->at == AT_BETWEEN :
		    tty_reads_keys(r->session->terminal.master));
}

void
exec_drop_fork(struct execs *r)
{
	watch_remove(r->fork);
	r->fork = NULL;
	fd_close(&r->fork_fd);
}

static void
on_fork_gone(void *arg, enum loop_events ready)
{
	struct execs *r = arg;

	(void)ready;
	exec_drop_fork(r);
	watch_rearm(r->silence, 0);
}

/*
 * A fork of a shell is not at a prompt: it is a subshell, or a program that is
 * just being started.  A wrapper also ends in such a fork, or in fish in a
 * script; so it gets time to end, once.
 */
static int
wait_for_fork(struct execs *r, pid_t pid, struct error *err)
{
	if (r->run.again)
		return error_set(err, EBUSY,
		    "the shell is already running a command");
	r->run.again = true;
	r->run.stage = EXEC_WAITS;
	watch_rearm(r->silence, ECHO_MS);
	exec_drop_fork(r);
	r->fork_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (r->fork_fd >= 0)
		r->fork = loop_fd(r->session->loop, r->fork_fd, LOOP_READ,
		    on_fork_gone, r);
	return 0;
}

static bool
is_other(void *arg, const struct proc *p)
{
	(void)arg;
	return p->state == 'Z' || shell_is_program(p->name) ||
	    !carries(p->name);
}

static void
found_carrier(void *arg, const struct proc *p)
{
	(void)p;
	*(bool *)arg = true;
}

/*
 * A script is not at a prompt, unless it has started a program that may show
 * one.
 */
static bool
runs_script(const struct proc *p)
{
	bool carrier = false;
	char words[1024];

	if (!shell_is_program(p->name) ||
	    !shell_runs_script(words,
		proc_command_line(p->pid, words, sizeof(words))))
		return false;
	proc_each_below(p->pid, is_other, found_carrier, &carrier);
	return !carrier;
}

/* Another shell in the foreground: only its name is known. */
static int
look_at_other(struct execs *r, struct error *err)
{
	struct proc p = { 0 };
	bool script;

	if (r->session->manifest.child.pid == 0)
		return error_set(err, ESRCH,
		    "its program has ended and is about to be started again");
	if (r->session->display.vt != NULL &&
	    vt_alt_screen(r->session->display.vt))
		return error_set(err, EBUSY,
		    "a full-screen program is shown: exec needs a shell at its "
		    "prompt");
	if (foreground(r, &p)) {
		if (p.forked)
			return wait_for_fork(r, p.pid, err);
		if (!carries(p.name))
			return error_set(err, EBUSY,
			    "%s is in the foreground: exec needs a shell at "
			    "its prompt",
			    p.name);
		script = runs_script(&p);
		if (script && !r->run.again)
			return wait_for_fork(r, p.pid, err);
		if (script)
			return error_set(err, EBUSY,
			    "%s is running a script: exec needs a shell at "
			    "its prompt",
			    p.name);
	}
	if (strcmp(p.name, "fish") == 0 &&
	    strlen(r->run.command) > FISH_TYPED_MAX)
		return refuse_long(r, err);
	r->run.way = WAY_ANY;
	r->run.exact = false;
	return 0;
}

/* True if the row of the prompt differs from the row without input. */
static bool
is_row_written(const struct execs *r)
{
	struct vt_row row;
	struct buf now;
	bool same;

	if (r->bare.len == 0)
		return false;
	buf_init(&now, CURSOR_LINE_ROW_BYTES);
	vt_screen_row(r->session->display.vt, r->prompt_row, &row);
	vt_row_text(&row, &now);
	same = buf_equals(&now, &r->bare);
	buf_finish(&now);
	return !same;
}

/*
 * True if input was typed but not entered: our command would become part of
 * it.  The cursor may have returned to the beginning.
 */
static bool
is_half_typed(const struct execs *r)
{
	struct vt_cursor c;

	if (!r->typed)
		return false;
	if (r->typed_at == r->session->display.shown &&
	    clock_ms(CLOCK_MONOTONIC) - r->typed_ms < ECHO_MS)
		return true; /* not shown yet */
	if (r->session->display.vt == NULL)
		return false;
	vt_cursor(r->session->display.vt, &c);
	return c.row != r->prompt_row || c.col != r->prompt_col ||
	    is_row_written(r);
}

/*
 * Type the command as a person would, if the shell then marks the beginning of
 * its output, also for a command that it refuses.  fish does not, and sh
 * cannot.
 */
static enum exec_way
own_way(const struct execs *r)
{
	bool brackets = r->shell == SHELL_ZSH ||
	    (r->shell == SHELL_BASH && pastes(r));

	if (r->shell == SHELL_FISH)
		return WAY_FISH;
	if (r->mute)
		return WAY_POSIX;
	if (brackets && typing_is_plain(r->run.command, true))
		return WAY_PASTE;
	if (r->shell == SHELL_BASH && typing_is_plain(r->run.command, false))
		return WAY_LINE;
	return WAY_POSIX;
}

/*
 * Decide how to type, or that the prompt must come first.  The session's shell
 * may have been replaced by another program (exec).
 */
static int
choose(struct execs *r, struct error *err)
{
	const struct session *session = r->session;
	struct proc p = { 0 };
	bool own = foreground(r, &p) && p.pid == session->manifest.child.pid;

	if (r->shell == SHELL_NONE ||
	    (own && r->shell != SHELL_SH &&
		strcmp(p.name, shell_name(r->shell)) != 0))
		return look_at_other(r, err);
	if (r->at == AT_UNKNOWN || r->at == AT_BETWEEN) {
		r->run.stage = EXEC_WAITS;
		watch_rearm(r->silence, SILENCE_MS);
		return 0;
	}
	if (!own || r->at == AT_UNMARKED)
		return look_at_other(r, err);
	if (r->at == AT_COMMAND)
		return error_set(err, EBUSY,
		    "the shell is carrying out a command already");
	if (is_half_typed(r))
		return error_set(err, EBUSY,
		    "something is typed at the prompt: send Enter or C-c "
		    "first");
	r->run.way = own_way(r);
	r->run.exact = true;
	return 0;
}

static uint64_t
draw(const struct execs *r)
{
	uint64_t chance = 0;

	if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
		chance ^= (uint64_t)(uintptr_t)r;
	return chance;
}

/* The key in its marks is the shell's, or its own. */
void
exec_set_key(struct execs *r, uint64_t chance)
{
	struct exec *u = &r->run;

	u->chance = chance;
	if (exec_is_wrapped(u))
		snprintf(u->key, sizeof(u->key), "%016" PRIx64, chance);
	else
		snprintf(u->key, sizeof(u->key), "%s",
		    r->session->manifest.shell_key);
}

int
exec_start(struct execs *r, struct connection *c, struct error *err)
{
	int rc = choose(r, err);

	if (rc < 0 || r->run.stage == EXEC_WAITS)
		return rc;
	exec_set_key(r, draw(r));
	return type_now(r, c, err);
}
