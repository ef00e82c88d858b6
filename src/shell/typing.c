#include "shell/typing.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "shell/integration.h"

#define WRAP_MAX (1u << 20)

/*
 * A line of a terminal in canonical mode has at most 4,095 bytes, one of
 * busybox ash 1,023.  So a long word is split, and printf joins the parts.
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

/*
 * Characters that mean the same to every shell inside single quotes, typed or
 * not.
 */
static bool
is_safe(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || (c != '\0' && strchr(" _./,:=+@%^-", c));
}

/*
 * Encode for `printf %b`.  For typed text, `line` counts the bytes of the
 * current line, and a long one is continued on the next.  NULL: not typed.
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
 * One quoted word; in fish, backslashes must be escaped.  It ends with a line
 * break, in case the command ends with a here-document.
 */
static void
put_quoted(struct buf *out, const char *s, const char *slash)
{
	buf_putc(out, '\'');
	shell_put_quoted(out, s, slash);
	buf_puts(out, "\n'");
}

/* The command as a terminal would echo it, with control characters as ^X. */
static char *
visible(const char *s)
{
	struct buf b;

	buf_init(&b, WRAP_MAX);
	for (const uint8_t *p = (const uint8_t *)s; *p != '\0'; p++) {
		if ((*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f)
			buf_printf(&b, "^%c", *p ^ 0x40);
		else
			buf_putc(&b, *p);
	}
	return buf_take(&b);
}

/* The syntax of each dialect. */
struct dialect {
	const char *printf, *status, *slash;
	const char *is, *end; /* around a number: set the last status to it */
	const char *options;  /* expands to the options inside double quotes */
	bool remembers;       /* keeps the wrapper in its history */
};

/*
 * The letters of the options, and one more if there is a DEBUG trap.  In POSIX
 * mode bash also lists a trap that is not set, but without quotes.  $? is kept.
 */
#define BASH_OPTIONS \
	"$-$(__t=$?; [[ $(\\trap -p DEBUG) == *\\'* ]] && " \
	"\\command \\printf x; \\exit \"$__t\")"

static const struct dialect dialects[] = {
	[TYPING_POSIX] = { "\\command \\printf", "$?", "\\", "(\\exit ",
	    ") && :", "$-", false },
	[TYPING_BASH] = { "\\command \\printf", "$?", "\\", "(\\exit ",
	    ") && :", BASH_OPTIONS, true },
	[TYPING_ZSH] = { "\\builtin \\printf", "$?", "\\", "(\\exit ",
	    ") && :", "$-", false },
	[TYPING_FISH] = { "builtin printf", "$status", "\\\\",
	    "__tend_keep_status ", "", "", false },
	[TYPING_ANY] = { "'printf'", "$?", "\\", "(exit ", ") && :", "", true },
};

/* The part before the command: marks around the visible command. */
static void
put_begin(struct buf *out, const struct dialect *d, const char *command,
    const char *key)
{
	auto_free char *text = visible(command);

	buf_printf(out, "%s %%b '\\0033]133\\0073B\\0073tend=%s\\0007",
	    d->printf, key);
	put_encoded(out, text, NULL);
	buf_puts(out, "\\0012\\0033]133\\0073C");
	if (d->options[0] != '\0')
		buf_printf(out, "\\0073opts='\"%s\"'", d->options);
	buf_printf(out, "\\0073tend=%s\\0007'\n", key);
}

/*
 * bash keeps the wrapper in its history, unless it ignores lines that begin
 * with a blank.  Older versions do not accept -1 for the last entry.
 */
static void
put_forget(struct buf *out, const char *key)
{
	buf_printf(out,
	    "{ [[ $(HISTTIMEFORMAT= \\history 1) == *%s* ]] && "
	    "\\history -d -1; } 2>/dev/null\n",
	    key);
}

/* The part up to the status that the command finds in $?. */
static char *
before(const struct dialect *d, const char *command, const char *key)
{
	struct buf b;

	buf_init(&b, WRAP_MAX);
	if (d->remembers)
		put_forget(&b, key);
	put_begin(&b, d, command, key);
	buf_puts(&b, d->is);
	return buf_take(&b);
}

/* Print the status and keep it. */
static void
put_end(struct buf *out, const struct dialect *d, const char *key)
{
	const char *eval = d == &dialects[TYPING_FISH] ? "eval" : "\\eval";

	if (d->options[0] == '\0')
		buf_printf(out,
		    "%s \"%s '\\033]133;D;%%s;tend=%s\\007' %s;%s%s%s\"\n",
		    eval, d->printf, key, d->status, d->is, d->status, d->end);
	else
		buf_printf(out,
		    "%s \"%s '\\033]133;D;%%s;opts=%%s;tend=%s\\007' %s "
		    "%s;%s%s%s\"\n",
		    eval, d->printf, key, d->status, d->options, d->is,
		    d->status, d->end);
}

/* The part after the command.  Printing the status must keep it. */
static char *
after(const struct dialect *d, const char *command, const char *key)
{
	struct buf b;

	buf_init(&b, WRAP_MAX);
	buf_printf(&b, "%s\n%s ", d->end,
	    d == &dialects[TYPING_FISH] ? "eval" : "\\eval");
	put_quoted(&b, command, d->slash);
	buf_putc(&b, '\n');
	put_end(&b, d, key);
	return buf_take(&b);
}

/* The end of the evaluated text for an unknown shell. */
static char *
rest_of(const char *command)
{
	struct buf b;

	buf_init(&b, WRAP_MAX);
	put_encoded(&b, command, NULL);
	buf_puts(&b, "')\n\"\n");
	return buf_take(&b);
}

/* The end of the wrapper for one of two families. */
static void
put_any_end(struct buf *out, const char *key, const char *name,
    const char *again)
{
	auto_free char *text = NULL;
	size_t line = 0;
	struct buf b;

	buf_init(&b, WRAP_MAX);
	buf_printf(&b,
	    "'eval' \"'printf' '\\033]133;D;%%s;tend=%s\\007' %s;%s\"\n", key,
	    name, again);
	text = buf_take(&b);
	put_encoded(out, text, &line);
}

/* Tests that no shell option turns into an error; fish cannot parse them. */
#define IF_BASH "'eval' '\\test -n \"${BASH_VERSION-}\"' 2>/dev/null"
#define IF_POSIX "'eval' ': \"${x-}\"' 2>/dev/null"
#define IF_NO_ZSH "'eval' '\\test -z \"${ZSH_VERSION-}\"' 2>/dev/null"

/*
 * Each shell inserts its own part before anything runs, in $( ), which leaves
 * nothing behind.  fish cannot parse `$?`, so that is inside an eval, in which
 * fish only finds an error.  In dash and ash an error inside eval ends the
 * line, unless eval is called through `command`; in fish and zsh `command` runs
 * external programs only.
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
	put_begin(&b, &dialects[TYPING_ANY], command, key);
	first = buf_take(&b);
	buf_puts(out,
	    "'eval' '__t=$?' 2>/dev/null; " IF_BASH " && 'printf' %b '");
	put_encoded(out, forget, &line);
	buf_puts(out, "'; \\\r'printf' %b '");
	line = 0;
	put_encoded(out, first, &line);
	buf_puts(out,
	    "'; \\\r" IF_NO_ZSH " && 'printf' '\\\\command '; "
	    "'printf' %b '\\0047eval\\0047 \\0042\\0044\\0050\\0047printf\\0047 %b "
	    "\\0047'; " IF_POSIX
	    " && 'printf' '(exit %s) && :\\\\0012' \"$__t\"; "
	    "\\\r'printf' %b '");
	line = 0;
	put_encoded(out, rest, &line);
	buf_puts(out, "'; \\\r" IF_POSIX " && 'printf' %b '");
	put_any_end(out, key, "$?", "(exit $?) && :");
	buf_puts(out, "' || \\\r'printf' %b '");
	put_any_end(out, key, "$status", "sh -c 'exit $status'");
	buf_puts(out, "')\"\r");
}

static void
wrap_for(struct buf *out, const struct dialect *d, const char *command,
    const char *key)
{
	auto_free char *first = before(d, command, key);
	auto_free char *rest = after(d, command, key);
	size_t line = 0;

	buf_printf(out, "%s %%b '", d->printf);
	put_encoded(out, first, &line);
	buf_printf(out, "'\"%s\"'", d->status);
	put_encoded(out, rest, &line);
	buf_puts(out, "')\"\r");
}

enum typing_dialect
typing_dialect_of(enum shell_kind kind)
{
	static const enum typing_dialect of_kind[SHELL_KINDS] = {
		[SHELL_NONE] = TYPING_POSIX,
#define KIND(ID, name, variable, value, file, DIALECT) \
	[SHELL_##ID] = TYPING_##DIALECT,
#include "shell/shells.def"
	};

	return of_kind[kind];
}

void
typing_wrap(struct buf *out, enum typing_dialect dialect, const char *command,
    const char *key)
{
	if (dialect == TYPING_ANY) {
		buf_puts(out, " 'eval' \"$(");
		wrap_for_any(out, command, key);
	} else {
		buf_puts(out,
		    dialect == TYPING_FISH ? " eval \"$(" : " \\eval \"$(");
		wrap_for(out, &dialects[dialect], command, key);
	}
}

/* One word for fish, which is much slower with many pieces. */
static void
put_fish_word(struct buf *out, const char *s)
{
	buf_putc(out, '\'');
	for (; *s != '\0'; s++) {
		if (*s == '\'' || *s == '\\')
			buf_putc(out, '\\');
		buf_putc(out, *s);
	}
	buf_putc(out, '\'');
}

/*
 * The marks are printed while the arguments are expanded, so $status is kept.
 */
void
typing_script(struct buf *out, const char *command, const char *key)
{
	auto_free char *text = visible(command);

	buf_printf(out,
	    "__tend_keep_status $status (builtin printf "
	    "'\\e]133;B;tend=%s\\a%%s\\n\\e]133;C;tend=%s\\a' ",
	    key, key);
	put_fish_word(out, text);
	buf_puts(out, " >/dev/tty)\neval ");
	put_fish_word(out, command);
	buf_printf(out, "\n__tend_end $status %s\n", key);
}
