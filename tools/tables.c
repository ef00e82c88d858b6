/*
 * Prints a table of the source as Markdown: tables NAME. tools/tables.py puts
 * it into the documents that show it.
 */
#include <stdio.h>
#include <string.h>

#include "op/conditions.h"
#include "op/format.h"
#include "wire/event.h"

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
#define ROW(NAME, field, option, letter, value, type, summary, holds) \
	printf("| `%s` | %s |\n", #field, holds);
	CONDITIONS(ROW, ROW, ROW)
}

static const struct {
	const char *name;
	void (*print)(void);
} tables[] = {
	{ "conditions", conditions },
	{ "events", events },
	{ "formats", formats },
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
