/*
 * Fails for every sequence, mode and SGR number without a case of its own.  A
 * case belongs to a row of seq.def if its heading begins with the row's name
 * (`!CUP …`), to a mode with `!MODE 25 …` or `!MODE 4 ANSI …`, and to an SGR
 * number with `!SGR 4 …`.  Also fails for a .test file in DIR that is not
 * among FILES, because no test would run it.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "script.h"

#define C0(byte, fn, name, ...) name,
#define C1(byte, fn, name, ...) name,
#define ESC(inter, final, fn, name, ...) name,
#define CSI(priv, inter, final, fn, name, ...) name,
#define DCS(priv, inter, final, fn, name, ...) name,
#define OSC(number, fn, name, ...) name,
static const char *const sequences[] = {
#include "vt/seq.def"
};

static const struct {
	bool private;
	unsigned number;
} modes[] = {
#define MODE(id, priv, number, ...) { priv, number },
#include "vt/mode.def"
#undef MODE
};

/* The first SGR number of each row, and how many numbers the row covers. */
static const unsigned sgr[][2] = {
#define SGR(number, op, value, what) { number, 1 },
#define SGR8(first, op, value, what) { first, 8 },
#include "vt/sgr.def"
#undef SGR
#undef SGR8
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct files {
	struct script *scripts;
	size_t n;
	unsigned missing;
};

static bool
heading_is_for(const char *heading, const char *name)
{
	size_t len = strlen(name);

	return strncmp(heading, name, len) == 0 &&
	    (heading[len] == ' ' || heading[len] == '\0');
}

static void
want(struct files *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++) {
		for (size_t k = 0; k < f->scripts[i].n; k++) {
			if (heading_is_for(f->scripts[i].cases[k].heading,
				name))
				return;
		}
	}
	printf("no case begins with !%s\n", name);
	f->missing++;
}

static void
want_all(struct files *f)
{
	char name[32];

	for (size_t i = 0; i < COUNT(sequences); i++)
		want(f, sequences[i]);
	for (size_t i = 0; i < COUNT(modes); i++) {
		snprintf(name, sizeof(name), "MODE %u%s", modes[i].number,
		    modes[i].private ? "" : " ANSI");
		want(f, name);
	}
	for (size_t i = 0; i < COUNT(sgr); i++) {
		for (unsigned n = 0; n < sgr[i][1]; n++) {
			snprintf(name, sizeof(name), "SGR %u", sgr[i][0] + n);
			want(f, name);
		}
	}
}

static bool
is_among(const char *name, char **files, int n)
{
	for (int i = 0; i < n; i++) {
		const char *slash = strrchr(files[i], '/');

		if (strcmp(slash != NULL ? slash + 1 : files[i], name) == 0)
			return true;
	}
	return false;
}

static void
want_files(struct files *f, const char *path, char **files, int n)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	if (dir == NULL) {
		printf("cannot read %s\n", path);
		f->missing++;
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');

		if (dot == NULL || strcmp(dot, ".test") != 0 ||
		    strcmp(entry->d_name, "wrong.test") == 0 ||
		    is_among(entry->d_name, files, n))
			continue;
		printf("nobody runs %s\n", entry->d_name);
		f->missing++;
	}
	closedir(dir);
}

int
main(int argc, char **argv)
{
	struct script scripts[64];
	struct files f = { .scripts = scripts };
	struct error err = { 0 };

	if (argc < 3) {
		fprintf(stderr, "usage: coverage DIR FILES...\n");
		return 2;
	}
	want_files(&f, argv[1], argv + 2, argc - 2);
	for (int i = 2; i < argc && f.n < COUNT(scripts); i++) {
		if (script_load(&scripts[f.n++], argv[i], &err) < 0) {
			printf("%s\n", err.msg);
			f.missing++;
		}
	}
	want_all(&f);
	printf("%zu files, %zu sequences, %zu modes: %u missing\n", f.n,
	    COUNT(sequences), COUNT(modes), f.missing);
	while (f.n > 0)
		script_finish(&scripts[--f.n]);
	return f.missing > 0;
}
