#ifndef TEND_CMD_LOOK_ARTIFACT_H
#define TEND_CMD_LOOK_ARTIFACT_H

#include <stddef.h>
#include <stdint.h>

struct call;

/*
 * A file made from a session.  It contains exactly the answer of the command,
 * and the session has an entry for it in artifacts/manifest.ndjson
 * (docs/session.md).  Either both are written or neither.
 */
struct artifact {
	const char *kind;   /* "snapshot" */
	const char *format; /* "html" */
	uint64_t seq, offset;
	const char *hash; /* hash of the screen */
};

/*
 * Write the file, replacing an existing one.  Returns 0, or the exit status
 * after reporting the failure; then an existing file is unchanged.
 */
int artifact_save(struct call *call, const char *path, const struct artifact *a,
    const void *p, size_t len);

#endif
