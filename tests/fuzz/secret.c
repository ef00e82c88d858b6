/*
 * A hostile line before the cursor.  A detected prompt is a prefix of the
 * line, does not end in a blank, and is a prompt by itself.  Stars after it
 * change nothing.
 */
#include "op/secret.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	const char *line = (const char *)p;
	size_t n = secret_prompt(line, len);
	char *more = malloc(len + 3);

	MUST(more != NULL && n <= len && secret_trim(line, len) <= len);
	if (n > 0) {
		MUST(line[n - 1] != ' ');
		MUST(secret_prompt(line, n) == n);
		memcpy(more, line, n);
		memcpy(more + n, " **", 3);
		MUST(
		    n > SECRET_LINE_MAX / 2 || secret_prompt(more, n + 3) == n);
	}
	free(more);
	return 0;
}
