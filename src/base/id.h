#ifndef TEND_BASE_ID_H
#define TEND_BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Identifiers are ULIDs: 26 characters of Crockford's base 32, ten for the
 * milliseconds since 1970 and sixteen of chance.  They sort by time, and those
 * of one maker strictly so: within a millisecond, or while the clock stands
 * behind, the chance part is counted up instead of drawn.
 */
#define ID_SIZE 27 /* with the NUL */

/* A maker of ids; all zero is its start. */
struct id_maker {
	uint64_t time_ms; /* of the last id */
	uint8_t chance[10];
};

void id_create(struct id_maker *m, char out[ID_SIZE]);

/* The same, at a given time (below 2^48) instead of now. */
void id_create_at(struct id_maker *m, uint64_t time_ms, char out[ID_SIZE]);

/* True if s is an id exactly as id_create writes it. */
bool id_is_valid(const char *s);

/*
 * The id a person meant: lower case is fine, I and L are 1, O is 0.  0, or
 * -EINVAL with out untouched.  out may be s.
 */
int id_parse(const char *s, char out[ID_SIZE]);

/* When a valid id was made, in milliseconds since 1970. */
uint64_t id_time_ms(const char *id);

#endif
