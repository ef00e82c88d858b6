#ifndef TEND_HUB_SECRET_H
#define TEND_HUB_SECRET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The secret of a credential: 256 random bits as text, with a prefix that says
 * what it is.  Only its SHA-256 is stored.
 */
#define SECRET_SIZE 64 /* with the NUL */
#define SECRET_HASH 32

/* prefix: "tend_t_" and so on, of at most 8 bytes. */
void secret_make(const char *prefix, char out[SECRET_SIZE]);

void secret_hash(const char *secret, uint8_t out[SECRET_HASH]);

/* Compare in a time that does not depend on the contents. */
bool secret_equals(const uint8_t a[SECRET_HASH], const uint8_t b[SECRET_HASH]);

#endif
