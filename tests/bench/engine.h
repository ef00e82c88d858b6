#ifndef TEND_TESTS_ENGINE_H
#define TEND_TESTS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A terminal engine to be measured.  All of them do the same work: bytes in,
 * a screen to look at, and `lines` of scrollback kept as the engine would have
 * an application keep them.
 */
struct engine {
	const char *name;

	/* NULL when the engine cannot be made. */
	void *(*create)(unsigned cols, unsigned rows, unsigned lines);
	void (*destroy)(void *self);

	/* Take in all bytes; returns how many were taken. */
	size_t (*feed)(void *self, const char *p, size_t len);

	/* True if the (ASCII) text stands at the beginning of a row. */
	bool (*shows)(void *self, const char *text);
};

extern const struct engine engine_tend;
extern const struct engine engine_libvterm;
extern const struct engine engine_libtsm;

#endif
