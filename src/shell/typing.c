#include "shell/typing.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "shell/integration.h"

#define WRAP_MAX (1u << 20)

/*
 * A line of a terminal in canonical mode has at most 4,095 bytes, one of
 * busybox ash 1,023.  So a long word is several, joined by printf.
 */
#define LINE_MAX_BYTES 800

bool
typing_is_plain(const char *command, bool brackets)
{
	for (const uint8_t *p = (const uint8_t *)command; *p != '\0'; p++)
		if ((*p < 0x20 && !(brackets && (*p == '\n' || *p == '\t'))) ||
		    *p == 0x7f || *p == '!')
			return false;
	return true;
}

/* What means the same to every shell inside single quotes, typed or not. */
static bool
is_safe(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || (c != '\0' && strchr(" _./,:=+@%^-", c));
}

/*
 * As `printf %b` reads it.  Typed, it goes on in another word when `line`, the
 * bytes of the present one, says so; NULL: it is not.
 */
static void
put_encoded(struct buf *out, const char *s, size_t *line)
{
	for (const uint8_t *p = (const uint8_t *)s; *p != '\0'; p++) {
		size_t before = out->len;

		if (is_safe(*p))
			buf_putc(out, *p);
		else
			buf_printf(out, "\\0%03o", *p);
		if (line == NULL)
			continue;
		*line += out->len - before;
		if (*line >= LINE_MAX_BYTES) {
			buf_puts(out, "'\\\r'");
			*line = 0;
		}
	}
}

/*
 * As one word, in which fish knows backslashes.  With a line break at its end,
 * for the sake of what ends in a here-document.
 */
static void
put_quoted(struct buf *out, const char *s, const char *slash)
{
	buf_putc(out, '\'');
	shell_put_quoted(out, s, slash);
	buf_puts(out, "\n'");
}

/* As it would have been seen, control characters as ^X. */
static void
put_visible(struct buf *out, const char *s)
{
	struct buf b;

	buf_init(&b, WRAP_MAX);
	for (const uint8_t *p = (const uint8_t *)s; *p != '\0'; p++) {
		if ((*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f)
			buf_printf(&b, "^%c", *p ^ 0x40);
		else
			buf_putc(&b, *p);
	}
	auto_free char *text = buf_take(&b);
	put_encoded(out, text, NULL);
}

/* What is run before the command: marks around what is to be seen of it. */
static void
put_begin(struct buf *out, const char *command, const char *key)
{
	buf_printf(out, "printf %%b '\\0033]133\\0073B\\0073tend=%s\\0007",
	    key);
	put_visible(out, command);
	buf_printf(out, "\\0012\\0033]133\\0073C\\0073tend=%s\\0007'\n", key);
}

#define D_MARK "printf '\\033]133;D;%%s;tend=%s\\007' "

/*
 * bash has the wrapping in its history, unless that does without lines that
 * begin with a blank.  Older ones do not know the last entry by -1.
 */
static void
put_forget(struct buf *out, const char *key)
{
	buf_printf(out,
	    "case $(HISTTIMEFORMAT= history 1) in *%s*) history -d -1;; esac "
	    "2>/dev/null\n",
	    key);
}

/* How each dialect says that the last status is to be n, and the status. */
static const struct dialect {
	const char *is, *end, *status, *slash;
	bool remembers;
} dialects[] = {
	[TYPING_POSIX] = { "(exit ", ")", "$?", "\\", false },
	[TYPING_BASH] = { "(exit ", ")", "$?", "\\", true },
	[TYPING_FISH] = { "__tend_keep_status ", "", "$status", "\\\\", false },
};

/* Up to the status that the command is to find. */
static char *
before(const struct dialect *d, const char *command, const char *key)
{
	struct buf b;

	buf_init(&b, WRAP_MAX);
	if (d->remembers)
		put_forget(&b, key);
	put_begin(&b, command, key);
	buf_puts(&b, d->is);
	return buf_take(&b);
}

/* From there on.  What prints the status must leave it as it was. */
static char *
after(const struct dialect *d, const char *command, const char *key)
{
	struct buf b;

	buf_init(&b, WRAP_MAX);
	buf_printf(&b, "%s\neval ", d->end);
	put_quoted(&b, command, d->slash);
	buf_printf(&b, "\neval \"" D_MARK "%s;%s%s%s\"\n", key, d->status,
	    d->is, d->status, d->end);
	return buf_take(&b);
}

/* The end of what evaluates it in a shell of which nothing is known. */
static char *
rest_of(const char *command)
{
	struct buf b;

	buf_init(&b, WRAP_MAX);
	put_encoded(&b, command, NULL);
	buf_puts(&b, "')\n\"\n");
	return buf_take(&b);
}

/* What prints the status, and leaves it as it was. */
static void
put_end(struct buf *out, const char *key, const char *name, const char *again,
    size_t *line)
{
	struct buf b;

	buf_init(&b, WRAP_MAX);
	buf_printf(&b, "eval \"" D_MARK "%s;%s\"\n", key, name, again);
	auto_free char *text = buf_take(&b);
	put_encoded(out, text, line);
}

/*
 * Each shell puts in what is its own, before anything is run: in $( ), of which
 * nothing is left behind.  fish does not read `$?`, so that is in an eval, of
 * which it sees to nothing but a mistake.  To dash and ash a mistake in what
 * eval reads is the end of the line, unless it comes by way of `command`; in
 * fish and zsh that is about other programs.
 */
static void
wrap_for_any(struct buf *out, const char *command, const char *key)
{
	auto_free char *rest = rest_of(command);
	auto_free char *forget = NULL, *first = NULL;
	size_t line = 0;
	struct buf b;

	buf_init(&b, WRAP_MAX);
	put_forget(&b, key);
	forget = buf_take(&b);
	buf_init(&b, WRAP_MAX);
	put_begin(&b, command, key);
	first = buf_take(&b);
	buf_puts(out,
	    "eval '__t=$?' 2>/dev/null; test -n \"$BASH_VERSION\" && printf %b '");
	put_encoded(out, forget, &line);
	buf_puts(out, "'; \\\rprintf %b '");
	line = 0;
	put_encoded(out, first, &line);
	buf_puts(out,
	    "'; \\\rtest -n \"$FISH_VERSION$ZSH_VERSION\" || printf 'command '; "
	    "printf %b 'eval \\0042\\0044\\0050printf %b \\0047'; "
	    "test -n \"$FISH_VERSION\" || printf '(exit %s)\\\\0012' \"$__t\"; "
	    "\\\rprintf %b '");
	line = 0;
	put_encoded(out, rest, &line);
	buf_puts(out, "'; \\\rtest -n \"$FISH_VERSION\" && printf %b '");
	line = 0;
	put_end(out, key, "$status", "sh -c 'exit $status'", &line);
	buf_puts(out, "' || \\\rprintf %b '");
	line = 0;
	put_end(out, key, "$?", "(exit $?)", &line);
	buf_puts(out, "')\"\r");
}

static void
wrap_for(struct buf *out, const struct dialect *d, const char *command,
    const char *key)
{
	auto_free char *first = before(d, command, key);
	auto_free char *rest = after(d, command, key);
	size_t line = 0;

	buf_puts(out, "printf %b '");
	put_encoded(out, first, &line);
	buf_printf(out, "'%s'", d->status);
	put_encoded(out, rest, &line);
	buf_puts(out, "')\"\r");
}

void
typing_wrap(struct buf *out, enum typing_dialect dialect, const char *command,
    const char *key)
{
	buf_puts(out, " eval \"$(");
	if (dialect == TYPING_ANY)
		wrap_for_any(out, command, key);
	else
		wrap_for(out, &dialects[dialect], command, key);
}
