#ifndef TEND_CMD_LOOK_ARTIFACT_H
#define TEND_CMD_LOOK_ARTIFACT_H

#include <stddef.h>
#include <stdint.h>

struct call;

/*
 * A file that was made of a session.  It holds exactly what its maker was
 * answered, and the session has an entry for it in artifacts/manifest.ndjson
 * (docs/session.md): both are there, or neither is.
 */
struct artifact {
	const char *kind;   /* "snapshot" */
	const char *format; /* "html" */
	uint64_t seq, offset;
	const char *hash; /* of the screen */
};

/*
 * Write it, in place of a file that is there.  0, or the exit status after the
 * failure was reported; then that file is as it was.
 */
int artifact_save(struct call *call, const char *path, const struct artifact *a,
    const void *p, size_t len);

#endif
