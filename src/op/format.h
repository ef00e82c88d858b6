#ifndef TEND_OP_FORMAT_H
#define TEND_OP_FORMAT_H

/*
 * The formats of a screen, for snapshots and exports.  Options, arguments,
 * help, completion, errors and documents take their names from this table.
 * CONTRIBUTING.md describes how to add one.
 *
 *	(NAME, name, summary)
 *
 * A new row is a NEXT, before the last one: texts say "or" before that.
 */
#define FORMATS(FIRST, NEXT, LAST) \
	FIRST(TEXT, "text", "lines of text") \
	NEXT(JSON, "json", "an object: lines, cursor, title, size") \
	NEXT(ANSI, "ansi", "bytes that draw the screen on a terminal") \
	NEXT(HTML, "html", "a page without references to other files") \
	LAST(SVG, "svg", "a picture without references to other files")

enum snapshot_format {
#define FORMAT_ID(NAME, name, summary) SNAPSHOT_##NAME,
	FORMATS(FORMAT_ID, FORMAT_ID, FORMAT_ID)
#undef FORMAT_ID
	    SNAPSHOT_FORMATS
};

#define FORMAT_NAME(NAME, name, summary) name
#define FORMAT_SPACE(NAME, name, summary) " " name
#define FORMAT_BAR(NAME, name, summary) "|" name
#define FORMAT_COMMA(NAME, name, summary) ", " name
#define FORMAT_OR(NAME, name, summary) " or " name
#define FORMAT_CODE(NAME, name, summary) "`" name "`"
#define FORMAT_COMMA_CODE(NAME, name, summary) ", `" name "`"
#define FORMAT_OR_CODE(NAME, name, summary) " or `" name "`"

/* "text json …", "text|json|…", "text, json, … or svg" */
#define FORMAT_WORDS FORMATS(FORMAT_NAME, FORMAT_SPACE, FORMAT_SPACE)
#define FORMAT_CHOICES FORMATS(FORMAT_NAME, FORMAT_BAR, FORMAT_BAR)
#define FORMAT_LIST FORMATS(FORMAT_NAME, FORMAT_COMMA, FORMAT_OR)
#define FORMAT_CODES FORMATS(FORMAT_CODE, FORMAT_COMMA_CODE, FORMAT_OR_CODE)

/* Find a format by name; SNAPSHOT_FORMATS if there is none. */
enum snapshot_format format_find(const char *name);
const char *format_name(enum snapshot_format f);
const char *format_summary(enum snapshot_format f);

#endif
