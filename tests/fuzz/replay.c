/*
 * Stands in for libFuzzer: gives the target every named file, and every file
 * in each named folder.  A target that finds a fault ends the program; the
 * last line before that names the file.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"

#include "fuzz.h"

#define FILE_MAX (64u << 20)

static int
replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct buf b;
	char part[4096];
	size_t n;

	if (f == NULL) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	buf_init(&b, FILE_MAX);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_append(&b, part, n);
	fclose(f);
	fprintf(stderr, "%s (%zu bytes)\n", path, b.len);
	LLVMFuzzerTestOneInput(b.data, b.len);
	buf_finish(&b);
	return 1;
}

static int
replay_folder(const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort), done = 0;

	for (int i = 0; i < n; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.' && done >= 0)
			done = replay_file(file) < 0 ? -1 : done + 1;
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return done;
}

int
main(int argc, char **argv)
{
	int done = 0;

	for (int i = 1; i < argc; i++) {
		struct stat st;
		int n;

		if (stat(argv[i], &st) < 0) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
			return 2;
		}
		n = S_ISDIR(st.st_mode) ? replay_folder(argv[i]) :
					  replay_file(argv[i]);
		if (n < 0)
			return 2;
		done += n;
	}
	fprintf(stderr, "%d inputs\n", done);
	return done > 0 ? 0 : 2;
}
