/*
 * Writes the source of a manual page for scdoc: text from the tables of
 * commands and options, around handwritten sections.
 *
 *	pages VERSION tend|COMMAND [PROSE]
 *
 * PROSE is a file of sections.  The first follows the synopsis, then come the
 * options (for tend also the commands), then the other sections.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/line/cmd.h"
#include "home/config.h"
#include "cmd/line/opt.h"
#include "cmd/line/table.h"
#include "cmd/line/usage.h"

/* scdoc would take these for markup. */
static void
put_plain(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (strchr("_*\\<>~", p[i]) != NULL)
			putchar('\\');
		putchar(p[i]);
	}
}

static void
put_in(char mark, const char *p, size_t len)
{
	putchar(mark);
	put_plain(p, len);
	putchar(mark);
}

/* A word of a synopsis: an option, a placeholder, or literal text. */
static void
put_word(const char *p, size_t len)
{
	if (p[0] == '-' && len > 1)
		put_in('*', p, len);
	else if (usage_is_place(p, len))
		put_in('_', p, len);
	else
		put_plain(p, len);
}

/* Line breaks in the table are for -h; the page has its own width. */
static void
put_usage(const char *usage)
{
	static const char breaks[] = " \n[]()|.";

	while (*usage != '\0') {
		size_t len = strcspn(usage, breaks);
		size_t blanks = strspn(usage, " \n");

		if (len > 0)
			put_word(usage, len);
		else if (blanks > 0)
			putchar(' ');
		else
			putchar(*usage);
		usage += len > 0 ? len : blanks > 0 ? blanks : 1;
	}
	printf("\n\n");
}

static void
put_option(const struct opt *o)
{
	if (o->letter != 0)
		printf("*-%c*, ", o->letter);
	printf("*--%s*", o->name);
	if (o->arg != NULL) {
		putchar(' ');
		put_word(o->arg, strcspn(o->arg, "."));
		printf("%s", o->arg + strcspn(o->arg, "."));
	}
	printf("\n\t");
	put_plain(o->help, strlen(o->help));
	printf("\n\n");
}

static void
put_options(const struct opt *o)
{
	for (; o != NULL && o->name != NULL; o++)
		put_option(o);
}

static void
put_commands(void)
{
	printf("# COMMANDS\n\n");
	for (size_t i = 0; table_at(i) != NULL; i++) {
		printf("*tend-%s*(1)\n\t", table_at(i)->name);
		put_plain(table_at(i)->summary, strlen(table_at(i)->summary));
		printf("\n\n");
	}
}

static void
put_kind(const struct config_setting *s)
{
	static const char *const kinds[] = {
		[CONFIG_KIND_KEY] = "a key, as in C-a",
		[CONFIG_KIND_KEYS] = "one key or several, as in d C-d",
		[CONFIG_KIND_SIZE] = "a size, as in 256M",
		[CONFIG_KIND_DURATION] = "a duration, as in 10s or 2h",
		[CONFIG_KIND_NUMBER] = "a number",
		[CONFIG_KIND_TEXT] = "words, with blanks between them",
	};
	const char *kind = s->kind == CONFIG_KIND_CHOICE ? s->choices :
							   kinds[s->kind];

	put_plain(kind, strlen(kind));
	printf("; by default ");
	if (s->standard != NULL)
		put_in('*', s->standard, strlen(s->standard));
	else
		printf("none");
	if (s->variable != NULL) {
		printf("; ");
		put_in('*', s->variable, strlen(s->variable));
		printf(" of the environment wins");
	}
	printf("\n\n");
}

/* By section; config.def keeps the settings of a section together. */
static void
put_settings(void)
{
	printf("# SETTINGS\n\n");
	for (size_t i = 0; i < CONFIG_COUNT; i++) {
		const struct config_setting *s = &config_settings[i];

		printf("*[%s]* ", s->section);
		put_in('*', s->key, strlen(s->key));
		printf("\n\t");
		put_plain(s->help, strlen(s->help));
		printf(": ");
		put_kind(s);
	}
}

/* The part made from tables; cmd is NULL for tend itself. */
static void
put_tables(const struct cmd *cmd)
{
	if (cmd == NULL)
		put_commands();
	printf("# OPTIONS\n\n");
	if (cmd != NULL)
		put_options(cmd->options);
	put_options(common_options);
	if (cmd == NULL)
		put_settings();
}

static void
put_head(const struct cmd *cmd, const char *version)
{
	const char *dash = cmd != NULL ? "-" : "";
	const char *name = cmd != NULL ? cmd->name : "";
	const char *summary = cmd != NULL ?
	    cmd->summary :
	    "terminal sessions that outlive everything around them";

	printf("tend%s%s(1) \"tend %s\" \"tend manual\"\n\n", dash, name,
	    version);
	printf("# NAME\n\ntend%s%s - %s\n\n# SYNOPSIS\n\n", dash, name,
	    summary);
	if (cmd == NULL) {
		printf("*tend* _COMMAND_ [_ARGUMENT_...]\n\n");
		return;
	}
	printf("*tend %s* ", cmd->name);
	put_usage(cmd->usage);
}

/* The handwritten text, with the tables before its second section. */
static void
put_body(const struct cmd *cmd, FILE *prose)
{
	char line[1024];
	int sections = 0;

	while (prose != NULL && fgets(line, sizeof(line), prose) != NULL) {
		if (strncmp(line, "# ", 2) == 0 && ++sections == 2)
			put_tables(cmd);
		fputs(line, stdout);
	}
	if (sections < 2) {
		putchar('\n');
		put_tables(cmd);
	}
}

int
main(int argc, char **argv)
{
	const struct cmd *cmd = NULL;
	FILE *prose = NULL;

	if (argc < 3)
		return 2;
	if (strcmp(argv[2], "tend") != 0 &&
	    (cmd = table_find(argv[2])) == NULL) {
		fprintf(stderr, "pages: there is no command %s\n", argv[2]);
		return 1;
	}
	if (argc > 3 && (prose = fopen(argv[3], "r")) == NULL) {
		fprintf(stderr, "pages: cannot read %s: %s\n", argv[3],
		    strerror(errno));
		return 1;
	}
	put_head(cmd, argv[1]);
	put_body(cmd, prose);
	if (prose != NULL)
		fclose(prose);
	return fflush(stdout) == 0 ? 0 : 1;
}
