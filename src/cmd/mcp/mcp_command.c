#include "cmd/mcp/mcp_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "cmd/mcp/mcp_words.h"
#include "mcp/result.h"
#include "mcp/server.h"
#include "mcp/tool.h"

#define ANSWER_MAX (32u << 20)
#define READ_SIZE (64u << 10)
#define TEXT_KEPT (2 * RESULT_TEXT_MAX) /* half of it at each end of a log */

/* ---------------------------------------------------------------- running */

void
mcp_command_init(struct mcp_command *c)
{
	memset(c, 0, sizeof(*c));
	c->out = c->errors = -1;
	buf_init(&c->buf, ANSWER_MAX);
}

/* A file to be read as standard input; or -errno. */
static int
open_input(const struct mcp_call *call)
{
	const json_t *input = json_object_get(call->args, MCP_WORDS_INPUT);
	auto_free char *text = input != NULL ? json_dumps(input, JSON_COMPACT) :
					       NULL;
	auto_close int fd = text != NULL ?
	    memfd_create("input", MFD_CLOEXEC) :
	    open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (text != NULL &&
	    (fd_write_all(fd, text, strlen(text)) < 0 ||
		lseek(fd, 0, SEEK_SET) < 0))
		return -EIO;
	return fd_take(&fd);
}

static int
spawn(struct mcp_command *c, char **words, int in, int out)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	extern char **environ;
	sigset_t none;
	int rc;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_adddup2(&files, c->errors, 2);
	/* We catch signals; it does as it likes. */
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawn(&c->pid, "/proc/self/exe", &files, &attributes, words,
	    environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	if (rc != 0)
		c->pid = 0;
	return -rc;
}

static int
cannot_run(const struct mcp_call *call, int errnum, struct error *err)
{
	return error_set(err, errnum, "cannot run tend %s: %s",
	    call->tool->command, strerror(errnum));
}

int
mcp_command_start(struct mcp_command *c, const struct mcp_call *call,
    const char *home, struct error *err)
{
	auto_close int in = -1;
	char **words;
	int fds[2], rc = mcp_words_check(call, err);

	if (rc < 0)
		return rc;
	c->skip = op_number(call->args, "skip", 0);
	c->goes_on = !(call->tool->hints & (TOOL_READS | TOOL_STOPS));
	c->is_text = call->tool->op == &ops[OP_ID_session_output];
	c->errors = memfd_create("errors", MFD_CLOEXEC);
	in = open_input(call);
	if (c->errors < 0 || in < 0 || pipe2(fds, O_CLOEXEC) < 0)
		return cannot_run(call, errno, err);
	c->out = fds[0];
	words = mcp_words(call, home);
	rc = spawn(c, words, in, fds[1]);
	mcp_words_free(words);
	close(fds[1]);
	return rc < 0 ? cannot_run(call, -rc, err) : 0;
}

/* ----------------------------------------------------------------- answer */

/* Its complaint, without "tend log: " and the newline. */
static int
complaint(const struct mcp_command *c, struct error *err)
{
	char text[512];
	ssize_t n = pread(c->errors, text, sizeof(text) - 1, 0);
	const char *colon;

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	colon = strncmp(text, "tend", 4) == 0 ? strstr(text, ": ") : NULL;
	return error_set(err, EREMOTEIO, "%s",
	    colon != NULL       ? colon + 2 :
		text[0] != '\0' ? text :
				  "it failed and did not say why");
}

/* What was skipped may have ended in the middle of a character. */
static json_t *
text_of(const struct mcp_command *c, size_t len)
{
	const char *p = c->buf.len > 0 ? (const char *)c->buf.data : "";

	while (len > 0 && (*p & 0xC0) == 0x80) {
		p++;
		len--;
	}
	return json_stringn(p, len);
}

/* The envelope of --json; a list gets a name. */
static int
read_json(const struct mcp_command *c, json_t **value, struct error *err)
{
	auto_json json_t *tree = json_tree_object((const char *)c->buf.data,
	    c->buf.len, NULL);
	json_t *result = json_object_get(tree, "result");
	const char *why = json_string_value(
	    json_object_get(json_object_get(tree, "error"), "message"));

	if (why != NULL)
		return error_set(err, EREMOTEIO, "%s", why);
	if (result == NULL)
		return complaint(c, err);
	*value = json_is_array(result) ?
	    json_pack("{s:O}", "sessions", result) :
	    json_incref(result);
	if (json_is_array(json_object_get(tree, "damage")))
		json_object_set(*value, "damage",
		    json_object_get(tree, "damage"));
	return 1;
}

/*
 * A log of which part is missing: what there is of it, then the envelope of the
 * failure, in a line that tells what is not there.  NULL: it is not so.
 */
static json_t *
read_rest(const struct mcp_command *c)
{
	const char *p = (const char *)c->buf.data;
	const char *last = c->buf.len > 1 ? memrchr(p, '\n', c->buf.len - 1) :
					    NULL;
	auto_json json_t *tree = NULL;
	size_t len;

	if (last == NULL)
		return NULL;
	len = (size_t)(last + 1 - p);
	tree = json_tree_object(last + 1, c->buf.len - len, NULL);
	if (!json_is_array(json_object_get(tree, "damage")))
		return NULL;
	return json_pack("{s:o, s:I, s:O}", "text", text_of(c, len), "left_out",
	    (json_int_t)c->left_out, "damage", json_object_get(tree, "damage"));
}

static int
read_text(const struct mcp_command *c, int status, json_t **value,
    struct error *err)
{
	if (status != 0) {
		*value = read_rest(c);
		return *value != NULL ? 1 : read_json(c, value, err);
	}
	*value = json_pack("{s:o, s:I}", "text", text_of(c, c->buf.len),
	    "left_out", (json_int_t)c->left_out);
	return *value != NULL ? 1 : error_set(err, EPROTO, "it wrote no text");
}

static int
end(struct mcp_command *c, json_t **value, struct error *err)
{
	int status = 0;

	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	c->pid = 0;
	if (c->buf.full)
		return error_set(err, EFBIG,
		    "the answer is too large; ask for less");
	return c->is_text ? read_text(c, status, value, err) :
			    read_json(c, value, err);
}

/* How many bytes from there on, at most, end where a character does. */
static size_t
whole(const struct buf *b, size_t from, size_t len)
{
	while (from + len < b->len && len > 0 &&
	    (b->data[from + len] & 0xC0) == 0x80)
		len--;
	return len;
}

/* A log has no end: keep what may be asked for, its beginning and its end. */
static void
leave_out(struct mcp_command *c)
{
	struct buf *b = &c->buf;
	size_t n = whole(b, 0, c->skip < b->len ? (size_t)c->skip : b->len);
	size_t head;

	if (n < c->skip && n < b->len) /* in the middle of a character */
		c->skip = n;
	buf_consume(b, n);
	c->skip -= n;
	if (b->len <= TEXT_KEPT)
		return;
	head = whole(b, 0, TEXT_KEPT / 2);
	n = whole(b, head, b->len - TEXT_KEPT);
	memmove(b->data + head, b->data + head + n, b->len - head - n);
	b->len -= n;
	c->left_out += n;
}

int
mcp_command_read(struct mcp_command *c, json_t **value, struct error *err)
{
	char part[READ_SIZE];
	ssize_t n = read(c->out, part, sizeof(part));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0)
		return end(c, value, err);
	(void)buf_append(&c->buf, part, (size_t)n);
	if (c->is_text)
		leave_out(c);
	return 0;
}

void
mcp_command_stop(struct mcp_command *c)
{
	if (c->pid > 0)
		kill(c->pid, SIGTERM);
}

void
mcp_command_finish(struct mcp_command *c)
{
	if (!c->goes_on)
		mcp_command_stop(c);
	fd_close(&c->out);
	fd_close(&c->errors);
	buf_finish(&c->buf);
}
