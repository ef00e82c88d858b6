/*
 * Make a header with the texts of files, such as the startup files for shells:
 * gen_texts FILE... names each text after its file up to the first dot, with _
 * for -, as text_bash.
 */
#include <stdio.h>
#include <string.h>

static void
put_char(int c)
{
	if (c == '"' || c == '\\')
		printf("\\%c", c);
	else if (c == '\t')
		printf("\\t");
	else if (c == '\n')
		printf("\\n\"\n    \"");
	else
		putchar(c);
}

static int
put_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	FILE *f = fopen(path, "r");
	int c;

	if (f == NULL) {
		perror(path);
		return -1;
	}
	printf("static const char text_");
	for (size_t i = 0; i < strcspn(name, "."); i++)
		putchar(name[i] == '-' ? '_' : name[i]);
	printf("[] =\n    \"");
	while ((c = getc(f)) != EOF)
		put_char(c);
	printf("\";\n");
	return fclose(f);
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (put_file(argv[i]) != 0)
			return 1;
	return fflush(stdout) == 0 ? 0 : 1;
}
