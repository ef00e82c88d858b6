/*
 * Writes docs/sequences.md from the engine's tables.  `./dev build` runs it,
 * and a test compares its output with the file in the tree.
 */
#include <stdbool.h>
#include <stdio.h>

static const char preamble[] =
    "# Sequences\n"
    "\n"
    "The sequences that the terminal engine knows. This page is made from\n"
    "`src/vt/seq.def`, `src/vt/mode.def` and `src/vt/sgr.def` by `./dev build`:\n"
    "change it there. Each line has at least one case in `tests/vt/`.\n"
    "\n"
    "| status | means |\n"
    "|---|---|\n"
    "| full | does what xterm does |\n"
    "| part | does the named part |\n"
    "| query | is answered by the session; the user's terminal never sees it |\n"
    "| event | is reported to the caller; the screen does not change |\n"
    "| ignored | is recognised and has no effect, for the given reason |\n"
    "\n"
    "Other sequences are parsed to their end and have no effect. SOS, PM and\n"
    "APC strings are skipped.\n";

#define FULL "full"
#define PART "part"
#define QUERY "query"
#define EVENT "event"
#define IGNORED "ignored"

/* A `|` would end a cell of the table. */
static void
put_escaped(const char *s)
{
	for (; *s != '\0'; s++)
		printf("%s%c", *s == '|' ? "\\" : "", *s);
}

static void
put_byte(int c)
{
	if (c == ' ')
		printf(" SP");
	else if (c != 0)
		printf(" %s%c", c == '|' || c == '`' ? "\\" : "", c);
}

static void
put_rest(const char *name, const char *status, const char *what)
{
	printf(" | %s | %s | ", name, status);
	put_escaped(what);
	printf(" |\n");
}

static void
put_control(int byte, const char *name, const char *status, const char *what)
{
	printf("| 0x%02X", (unsigned)byte);
	if (byte >= 0x80) {
		printf(", ESC");
		put_byte(byte - 0x40);
	}
	put_rest(name, status, what);
}

static void
put_esc(int inter, int final, const char *name, const char *status,
    const char *what)
{
	printf("| ESC");
	put_byte(inter);
	if (final == 0)
		printf(" …");
	put_byte(final);
	put_rest(name, status, what);
}

static void
put_csi(const char *kind, int private, int inter, int final, const char *name,
    const char *status, const char *what)
{
	printf("| %s", kind);
	put_byte(private);
	printf(" …");
	put_byte(inter);
	put_byte(final);
	put_rest(name, status, what);
}

static void
put_mode(bool private, int number, bool initially, const char *what)
{
	printf("| %s%d | %s | ", private ? "?" : "", number,
	    initially ? "set" : "reset");
	put_escaped(what);
	printf(" |\n");
}

static void
put_sgr(int first, int last, const char *what)
{
	printf("| %d", first);
	if (last != first)
		printf("–%d", last);
	printf(" | ");
	put_escaped(what);
	printf(" |\n");
}

static void
heading(const char *title, const char *columns, const char *rule)
{
	printf("\n## %s\n\n%s\n%s\n", title, columns, rule);
}

#define COLUMNS "| bytes | name | status | what it does |", "|---|---|---|---|"

static void
put_sequences(void)
{
	heading("Control characters", COLUMNS);
#define C0(byte, fn, name, status, way, what) \
	put_control(byte, name, status, what);
#define C1(byte, fn, name, status, way, what) \
	put_control(byte, name, status, what);
#include "vt/seq.def"
	heading("ESC", COLUMNS);
#define ESC(i, f, fn, name, status, way, what) \
	put_esc(i, f, name, status, what);
#include "vt/seq.def"
	heading("CSI", COLUMNS);
#define CSI(p, i, f, fn, name, status, way, what) \
	put_csi("CSI", p, i, f, name, status, what);
#include "vt/seq.def"
	heading("DCS", COLUMNS);
#define DCS(p, i, f, fn, name, status, way, what) \
	put_csi("DCS", p, i, f, name, status, what);
#include "vt/seq.def"
	heading("OSC", "| name | status | what it does |", "|---|---|---|");
#define OSC(number, fn, name, status, way, what) \
	printf("| %s | %s | ", name, status); \
	put_escaped(what); \
	printf(" |\n");
#include "vt/seq.def"
}

int
main(void)
{
	fputs(preamble, stdout);
	put_sequences();
	heading("Modes (SM, RM, DECSET, DECRST, DECRQM)",
	    "| mode | initially | what it does when set |", "|---|---|---|");
#define MODE(id, private, number, initially, on_change, way, what) \
	put_mode(private, number, initially, what);
#include "vt/mode.def"
	heading("SGR", "| number | what it does |", "|---|---|");
#define SGR(number, op, value, what) put_sgr(number, number, what);
#define SGR8(first, op, value, what) put_sgr(first, first + 7, what);
#include "vt/sgr.def"
	return 0;
}
