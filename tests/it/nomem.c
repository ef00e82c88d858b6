/*
 * Preloaded, it makes one allocation of one process fail.
 *
 *	NOMEM_PROGRAM  the name of the program
 *	NOMEM_FILE     created by the first process of that name, which is
 *	               the one; a u64 in it counts its allocations
 *	NOMEM_AT       the allocation that fails; 0: none
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc's names for its own functions. */
void *__libc_malloc(size_t len);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t len);

/* A function that replaces another has no argument for these. */
static _Atomic uint64_t *counter; /* NULL: this is not the process */
static uint64_t fails;

__attribute__((constructor)) static void
begin(void)
{
	const char *program = getenv("NOMEM_PROGRAM");
	const char *path = getenv("NOMEM_FILE"), *at = getenv("NOMEM_AT");
	void *p;
	int fd;

	if (program == NULL || path == NULL || at == NULL ||
	    strcmp(program, program_invocation_short_name) != 0)
		return;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (ftruncate(fd, sizeof(*counter)) < 0)
		abort();
	p = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	    0);
	if (p == MAP_FAILED)
		abort();
	close(fd);
	fails = strtoull(at, NULL, 10);
	counter = p;
}

static bool
is_none(void)
{
	if (counter == NULL || atomic_fetch_add(counter, 1) + 1 != fails)
		return false;
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t len)
{
	return is_none() ? NULL : __libc_malloc(len);
}

void *
calloc(size_t n, size_t size)
{
	return is_none() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t len)
{
	return is_none() ? NULL : __libc_realloc(p, len);
}
