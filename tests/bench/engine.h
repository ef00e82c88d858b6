#ifndef TEND_TESTS_ENGINE_H
#define TEND_TESTS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A terminal engine to be measured.  All engines do the same work: they take
 * bytes, hold a screen, and keep `lines` of scrollback in the way that the
 * engine intends for applications.
 */
struct engine {
	const char *name;

	/* NULL when the engine cannot be made. */
	void *(*create)(unsigned cols, unsigned rows, unsigned lines);
	void (*destroy)(void *self);

	/* Take in all bytes; returns how many were taken. */
	size_t (*feed)(void *self, const char *p, size_t len);

	/* True if a row begins with the (ASCII) text. */
	bool (*shows)(void *self, const char *text);
};

extern const struct engine engine_tend;
extern const struct engine engine_libvterm;
extern const struct engine engine_libtsm;

#endif
