/*
 * Prints a table of the source as Markdown or scdoc: tables NAME.
 * tools/tables.py puts it into the documents that show it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "op/conditions.h"
#include "op/failure.h"
#include "op/format.h"
#include "wire/event.h"

#define STATUS_MAX 256

static void
events(void)
{
	static const char *const kinds[] = {
		[WIRE_EVENT_NUMBER] = "number",
		[WIRE_EVENT_BOOL] = "boolean",
		[WIRE_EVENT_TEXT] = "text",
		[WIRE_EVENT_JSON] = "object",
	};

	printf("| event | fields | |\n|---|---|---|\n");
	for (size_t i = 0; i < WIRE_EVENTS; i++) {
		const struct wire_event *e = &wire_events[i];

		printf("| `%s` |", e->name);
		for (size_t f = 0; e->fields[f].name != NULL; f++)
			printf("%s `%s` %s", f > 0 ? "," : "",
			    e->fields[f].name, kinds[e->fields[f].kind]);
		printf(" | %s |\n", e->summary);
	}
}

static void
formats(void)
{
	printf("| format | |\n|---|---|\n");
	for (unsigned f = 0; f < SNAPSHOT_FORMATS; f++)
		printf("| `%s` | %s |\n", format_name((enum snapshot_format)f),
		    format_summary((enum snapshot_format)f));
}

static void
conditions(void)
{
	printf("| argument | holds when |\n|---|---|\n");
#define ROW(NAME, field, option, letter, value, type, traits, summary, holds) \
	printf("| `%s` | %s |\n", #field, holds);
	CONDITIONS(ROW, ROW, ROW, ROW, ROW)
}

/* A text of Markdown for scdoc: `x` is bold, and underscores are plain. */
static void
put_scdoc(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '_' || *text == '*')
			putchar('\\');
		putchar(*text == '`' ? '*' : *text);
	}
}

/* For the manual. */
static void
put_option(const char *option, const char *value, const char *summary)
{
	printf("- *--%s*", option);
	if (value != NULL)
		printf(" _%s_", value);
	printf(": ");
	put_scdoc(summary);
	printf(".\n");
}

static void
options(void)
{
#define OPTION(NAME, field, option, letter, value, type, traits, summary, \
    holds) \
	put_option(option, value, summary);
	CONDITIONS(OPTION, OPTION, OPTION, OPTION, OPTION)
}

static void
row(int number, const char *name, const char *summary, const char *payload)
{
	if (number > 0)
		printf("| %d | `%s` |", number, name);
	else
		printf("| | *%s* |", name);
	printf(" %s | %s", summary, payload);
}

static void
field(bool *first, const char *name, const char *type)
{
	printf("%s`%s` %s", *first ? "" : ", ", name, type);
	*first = false;
}

static void
records(void)
{
	bool first = true;

	printf("| type | name | | payload |\n|---|---|---|---|\n");
#define TAG(number, name, ID, flags, summary) \
	row(number, name, summary, ""); \
	END(id)
#define RECORD(number, name, id, ID, flags, summary) \
	row(number, name, summary, "");
#define JSON_RECORD(number, name, id, ID, summary) \
	row(number, name, summary, "JSON: ");
#define JSON_PART(id, summary) row(0, #id, summary, "JSON: ");
#define END(id) \
	printf(" |\n"); \
	first = true;
#define JSON_END(id) END(id)
#define U8(id, name) field(&first, #name, "u8");
#define U16(id, name) field(&first, #name, "u16");
#define U32(id, name) field(&first, #name, "u32");
#define U64(id, name) field(&first, #name, "u64");
#define MAYBE8(id, name) field(&first, #name, "u8 (optional)");
#define FLAGS(id, name) field(&first, #name, "u8");
#define TEXT(id, name) field(&first, #name, "short text");
#define FLAGGED(id, name, flag) \
	field(&first, #name, "short text (with its flag)");
#define REST(id, name) field(&first, #name, "the rest");
#define STRING(id, name) field(&first, #name, "text");
#define STRING_OR_NULL(id, name) field(&first, #name, "text or null");
#define STRING_OR_NONE(id, name) field(&first, #name, "text (optional)");
#define NUMBER(id, name) field(&first, #name, "number");
#define INT(id, name) field(&first, #name, "integer");
#define INT_OR_NULL(id, name) field(&first, #name, "number or null");
#define BOOL(id, name) field(&first, #name, "boolean");
#define STRINGS(id, name) field(&first, #name, "array of texts");
#define OBJECT_OR_NULL(id, name) field(&first, #name, "object or null");
#define LIST(id, name, part) field(&first, #name, "array of *" #part "*");
#include "log/records.def"
}

static void
limit(const char *section, const char *key, const char *standard,
    const char *variable, const char *help, const char *at)
{
	printf("| %s | %s | ", help, standard != NULL ? standard : "none");
	if (strcmp(section, "run") == 0)
		printf("`run --%s`, ", key);
	else if (variable != NULL)
		printf("`%s`, ", variable);
	printf("`[%s] %s` | %s |\n", section, key, at);
}

static void
limits(void)
{
	printf("| limit | default | set by | at the limit |\n"
	       "|---|---|---|---|\n");
#define LIMIT(NAME, section, key, KIND, least, most, standard, variable, help, \
    at) \
	limit(section, key, standard, variable, help, at);
#include "home/config.def"
}

/* The limits of a home, for the manual. */
static void
put_quota(const char *variable, const char *standard, const char *help,
    const char *at)
{
	printf("- *%s*: ", variable);
	put_scdoc(help);
	printf(". The default is %s. At the limit, ", standard);
	put_scdoc(at);
	printf(".\n");
}

static void
quotas(void)
{
#define QUOTA(NAME, field, key, KIND, least, most, standard, variable, help, \
    at) \
	put_quota(variable, standard, help, at);
#include "home/config.def"
}

static void
put_status(int status)
{
	const char *gap = "\t";

	for (unsigned f = 0; f < FAIL_COUNT; f++) {
		if (failure_status(f) != status)
			continue;
		printf("%s*", gap);
		put_scdoc(failure_code(f));
		printf("*: ");
		put_scdoc(failure_text(f));
		gap = "++\n";
	}
	putchar('\n');
}

static bool
has_status(int status)
{
	for (unsigned f = 0; f < FAIL_COUNT; f++)
		if (failure_status(f) == status)
			return true;
	return false;
}

/* For the manual; several failures may share an exit status. */
static void
statuses(void)
{
	for (int status = 1; status < STATUS_MAX; status++) {
		if (!has_status(status))
			continue;
		printf("*%d*\n", status);
		put_status(status);
		putchar('\n');
	}
}

static void
shells(void)
{
	printf("| `shell` | variable |\n|---|---|\n");
#define KIND(ID, name, variable, value, file, DIALECT) \
	printf("| `%s` | `%s` |\n", #name, variable);
#include "shell/shells.def"
}

/* For the manual: the programs that can mark their prompts. */
static void
put_shell(const char **before, const char *program, const char *kind)
{
	if (strcmp(kind, "NONE") == 0)
		return;
	printf("%s%s", *before, program);
	*before = ", ";
}

static void
marking(void)
{
	const char *before = "";

#define SHELL(program, ID, brackets) put_shell(&before, program, #ID);
#include "shell/shells.def"
	putchar('\n');
}

static const struct {
	const char *name;
	void (*print)(void);
} tables[] = {
	{ "conditions", conditions },
	{ "events", events },
	{ "formats", formats },
	{ "limits", limits },
	{ "marking", marking },
	{ "options", options },
	{ "quotas", quotas },
	{ "shells", shells },
	{ "statuses", statuses },
	{ "records", records },
};

int
main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (argc == 2 && strcmp(argv[1], tables[i].name) == 0) {
			tables[i].print();
			return 0;
		}
	fprintf(stderr, "tables: no such table\n");
	return 1;
}
