#include "cmd/line/confirm.h"

#include <stdio.h>
#include <strings.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/out.h"
#include "home/words.h"

#define QUESTION_MAX (64u << 10)

bool
confirm_asks(const struct call *call, bool yes)
{
	return !yes && !call->out->json && isatty(STDIN_FILENO) &&
	    isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
}

static bool
is_yes(char *line)
{
	for (char *p = line; *p != '\0'; p++)
		if (*p == '\n' || *p == '\r' || *p == ' ')
			*p = '\0';
	return strcasecmp(line, "y") == 0 || strcasecmp(line, "yes") == 0;
}

int
confirm(struct call *call, bool yes, const char *question)
{
	char line[16] = "";
	struct buf b;

	if (!confirm_asks(call, yes))
		return 0;
	buf_init(&b, 8 * QUESTION_MAX);
	words_put_lines(&b, question);
	buf_puts(&b, " [y/N] ");
	(void)fd_write_all(STDERR_FILENO, b.data, b.len);
	buf_finish(&b);
	if (fgets(line, sizeof(line), stdin) != NULL && is_yes(line))
		return 0;
	return out_fail(call->out, FAIL_DENIED,
	    "not confirmed, nothing was done; -y skips the question");
}

int
confirm_sessions(struct call *call, bool yes, const char *what)
{
	auto_free char *question = NULL;
	struct buf b;

	buf_init(&b, QUESTION_MAX);
	buf_printf(&b, "%s", what);
	for (int i = 0; i < call->argc; i++)
		buf_printf(&b, "%s %s", i > 0 ? "," : "", call->argv[i]);
	buf_putc(&b, '?');
	question = buf_take(&b);
	return confirm(call, yes, question);
}
