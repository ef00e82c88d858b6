/*
 * The grammar of everything a terminal may answer.  An answer that is added to
 * report.c must be added here too.  In a pattern
 *
 *	#	is a number of one to ten digits
 *	&	is numbers with ; and : between them, or nothing
 *	~	is an even number of hexadecimal digits, at least two
 *	%	is a colour, rgb:hhhh/hhhh/hhhh
 *
 * and everything else stands for itself.
 */
#include "props.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"

static const char *const patterns[] = {
	"\033[?&c",                     /* DA1 */
	"\033[>#;#;#c",                 /* DA2 */
	"\033P!|~\033\\",               /* DA3 */
	"\033[0n",                      /* DSR: fine */
	"\033[#;#R",                    /* CPR */
	"\033[?#;#;#R",                 /* DECXCPR */
	"\033[?#n",                     /* DECDSR: printer, locator */
	"\033[?#;#n",                   /* locator kind, colour scheme */
	"\033[?#;#;#;#n",               /* keyboard */
	"\033[#;#$y",                   /* RQM */
	"\033[?#;#$y",                  /* DECRQM */
	"\033[?#u",                     /* kitty keyboard flags */
	"\033[>#;#m",                   /* XTQMODKEYS */
	"\033[#;#;#;#;#;#;#x",          /* DECREQTPARM */
	"\033[4;#;#t",                  /* XTWINOPS: pixels of the text area */
	"\033[6;#;#t",                  /* pixels of a cell */
	"\033[8;#;#t",                  /* cells of the text area */
	"\033P>|tend(#.#.#)\033\\",     /* XTVERSION */
	"\033P0$r\033\\",               /* DECRQSS: not known */
	"\033P1$r&m\033\\",             /* SGR */
	"\033P1$r#;#r\033\\",           /* DECSTBM */
	"\033P1$r#;#s\033\\",           /* DECSLRM */
	"\033P1$r# q\033\\",            /* DECSCUSR */
	"\033P1$r#\"q\033\\",           /* DECSCA */
	"\033P1$r#;#\"p\033\\",         /* DECSCL */
	"\033P0+r\033\\",               /* XTGETTCAP: not known */
	"\033P1+r544E=~\033\\",         /* TN */
	"\033P1+r6E616D65=~\033\\",     /* name */
	"\033P1+r436F=~\033\\",         /* Co */
	"\033P1+r636F6C6F7273=~\033\\", /* colors */
	"\033P1+r524742=~\033\\",       /* RGB */
	"\033P1+r5463\033\\",           /* Tc */
	"\033P1+r5375\033\\",           /* Su */
	"\033]4;#;%\033\\", /* palette, default and cursor colours */
	"\033]4;#;%\a",
	"\033]7501;?\033\\", /* program status: it is understood */
	"\033]7501;?\a",
	"\033]10;%\033\\",
	"\033]10;%\a",
	"\033]11;%\033\\",
	"\033]11;%\a",
	"\033]12;%\033\\",
	"\033]12;%\a",
};

static size_t
span(const char *p, size_t len, const char *of)
{
	size_t n = 0;

	while (n < len && p[n] != '\0' && strchr(of, p[n]) != NULL)
		n++;
	return n;
}

#define HEX "0123456789abcdefABCDEF"

static bool
is_colour(const char *p, size_t len)
{
	static const char form[] = "rgb:hhhh/hhhh/hhhh";

	if (len < sizeof(form) - 1)
		return false;
	for (size_t i = 0; form[i] != '\0'; i++) {
		if (form[i] == 'h' ? !isxdigit((unsigned char)p[i]) :
				     p[i] != form[i])
			return false;
	}
	return true;
}

/*
 * The number of bytes that a class in a pattern takes; -1 if the bytes do not
 * fit.
 */
static int
take(char class, const char *p, size_t len)
{
	size_t n;

	switch (class) {
	case '#':
		n = span(p, len, "0123456789");
		return n >= 1 && n <= 10 ? (int)n : -1;
	case '&':
		n = span(p, len, "0123456789;:");
		return n <= 512 ? (int)n : -1;
	case '~':
		n = span(p, len, HEX);
		return n >= 2 && n <= 64 && n % 2 == 0 ? (int)n : -1;
	case '%':
		return is_colour(p, len) ? 18 : -1;
	default:
		return len > 0 && *p == class ? 1 : -1;
	}
}

/* The length of the pattern's match at p, or 0. */
static size_t
match(const char *pattern, const char *p, size_t len)
{
	size_t done = 0;

	for (; *pattern != '\0'; pattern++) {
		int n = take(*pattern, p + done, len - done);

		if (n < 0)
			return 0;
		done += (size_t)n;
	}
	return done;
}

static size_t
match_any(const char *p, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		n = match(patterns[i], p, len);
		if (n > 0)
			break;
	}
	return n;
}

/* Bytes in a form that a person can read. */
static void
quote(char *out, size_t size, const char *p, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = 0;

	for (size_t i = 0; i < len && n + 5 < size; i++) {
		unsigned char c = (unsigned char)p[i];

		if (isprint(c)) {
			out[n++] = (char)c;
			continue;
		}
		out[n++] = '\\';
		out[n++] = 'x';
		out[n++] = digits[c >> 4];
		out[n++] = digits[c & 15];
	}
	out[n] = '\0';
}

int
prop_reply(const char *p, size_t len, struct error *err)
{
	char seen[160];
	size_t n;

	for (; len > 0; p += n, len -= n) {
		n = match_any(p, len);
		if (n == 0) {
			quote(seen, sizeof(seen), p, len);
			return error_set(err, EPROTO,
			    "a reply outside the grammar: \"%s\"", seen);
		}
	}
	return 0;
}
