#ifndef TEND_WEB_RESPONSE_H
#define TEND_WEB_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/*
 * The head of a response.  Every one has the strict headers, errors included:
 * a page loads nothing from elsewhere, nobody frames it, nothing is cached, and
 * no address of ours reaches other sites.  There is no Strict-Transport-Security:
 * it would hold for all ports of the host, where others serve plain HTTP.
 */
#define RESPONSE_ENDLESS UINT64_MAX /* ends with the connection */

struct response {
	int status;
	const char *type; /* of the content; NULL: none */
	uint64_t length;  /* of the content, or RESPONSE_ENDLESS */
	bool keep_alive;
	const void *extra; /* whole header lines */
	size_t extra_len;
};

/* The strict headers alone. */
void response_put_strict(struct buf *out);

void response_head(struct buf *out, const struct response *r);

/* The words of a status, as in "Not Found". */
const char *response_reason(int status);

#endif
