#include "keep/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

/*
 * Two things need an order.  Bytes and the offset that covers them: head and
 * tail are stored after what they speak of was done, and loaded before it is
 * relied on.  Sleeping and waking: each side stores (the offset, or "I wait")
 * and then loads what the other stores, so both must agree on one order of all
 * four, or both could miss each other and sleep for ever.  That is what
 * sequential consistency gives, and all of it is used for both.
 */

#define RING_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* The header has a page of its own, for the data must begin at one. */
static size_t
header_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int
write_header(int fd, size_t size)
{
	struct ring_shared first = {
		.magic = RING_MAGIC,
		.version = RING_VERSION,
		.size = (uint32_t)size,
		.engine_at = RING_IDLE,
		.host_wakes_at = RING_AWAKE,
	};

	return pwrite(fd, &first, sizeof(first), 0) == sizeof(first) ? 0 : -1;
}

/* Memory with a descriptor is a file, which `ulimit -f` may keep short. */
static size_t
size_to_make(void)
{
	size_t page = header_size();
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 ||
	    limit.rlim_cur >= page + RING_SIZE)
		return RING_SIZE;
	if (limit.rlim_cur < page + RING_SIZE_MIN)
		return RING_SIZE_MIN; /* which will be refused */
	return ((size_t)limit.rlim_cur - page) / page * page;
}

int
ring_create(void)
{
	auto_close int fd = memfd_create("tend-ring",
	    MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t size = size_to_make();

	if (fd < 0 || ftruncate(fd, (off_t)(header_size() + size)) < 0 ||
	    write_header(fd, size) < 0 ||
	    fcntl(fd, F_ADD_SEALS, RING_SEALS) < 0)
		return -errno;
	return fd_take(&fd);
}

/* Memory that could shrink would be a SIGBUS later. */
static bool
cannot_shrink(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & F_SEAL_SHRINK);
}

/* The size of the data, or 0 when it is no ring of ours. */
static size_t
size_of(int fd)
{
	struct ring_shared s;
	struct stat st;

	if (!cannot_shrink(fd) || fstat(fd, &st) < 0 ||
	    pread(fd, &s, sizeof(s), 0) != sizeof(s))
		return 0;
	if (s.magic != RING_MAGIC || s.version != RING_VERSION || s.size == 0 ||
	    s.size > RING_SIZE_MAX || s.size % header_size() != 0 ||
	    st.st_size != (off_t)(header_size() + s.size))
		return 0;
	return s.size;
}

/* Header, data, and the data once more, in one stretch of addresses. */
static uint8_t *
map_twice(int fd, size_t size)
{
	const int prot = PROT_READ | PROT_WRITE, how = MAP_SHARED | MAP_FIXED;
	size_t header = header_size();
	uint8_t *at = mmap(NULL, header + 2 * size, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	if (mmap(at, header + size, prot, how, fd, 0) == MAP_FAILED ||
	    mmap(at + header + size, size, prot, how, fd, (off_t)header) ==
		MAP_FAILED) {
		munmap(at, header + 2 * size);
		return NULL;
	}
	return at;
}

int
ring_map(struct ring *r, int fd)
{
	size_t size = size_of(fd);
	uint8_t *at;

	if (size == 0)
		return -EPROTO;
	at = map_twice(fd, size);
	if (!at)
		return -ENOMEM;
	*r = (struct ring){ (struct ring_shared *)at, at + header_size(),
		size };
	return 0;
}

void
ring_unmap(struct ring *r)
{
	if (r->shared)
		munmap(r->shared, header_size() + 2 * r->size);
	*r = (struct ring){ 0 };
}

uint8_t *
ring_at(const struct ring *r, uint64_t offset)
{
	return r->data + offset % r->size;
}

size_t
ring_room(const struct ring *r)
{
	uint64_t held = r->shared->head - r->shared->tail;

	/* A tail that cannot be: rather no room than a byte overwritten. */
	return held > r->size ? 0 : r->size - (size_t)held;
}

/* Only the first to see that the other sleeps wakes it. */
bool
ring_produced(struct ring *r, size_t n)
{
	_Atomic uint64_t *wakes_at = &r->shared->host_wakes_at;
	uint64_t head = r->shared->head + n;

	r->shared->head = head;
	return head >= *wakes_at &&
	    atomic_exchange(wakes_at, RING_AWAKE) != RING_AWAKE;
}

/* Only the keeper may: nobody else knows that it is not just writing there. */
void
ring_give_back(struct ring *r)
{
	const uint64_t page = header_size();
	uint64_t from = (r->shared->head + page - 1) / page * page;
	uint64_t to = (r->shared->head + ring_room(r)) / page * page;

	if (to > from)
		madvise(ring_at(r, from), to - from, MADV_REMOVE);
}

bool
ring_release(struct ring *r, uint64_t offset)
{
	r->shared->tail = offset;
	return r->shared->keeper_waits &&
	    atomic_exchange(&r->shared->keeper_waits, 0);
}

bool
ring_host_sleeps(struct ring *r, uint64_t until)
{
	r->shared->host_wakes_at = until;
	return r->shared->head < until;
}

void
ring_host_wakes(struct ring *r)
{
	r->shared->host_wakes_at = RING_AWAKE;
}

bool
ring_keeper_sleeps(struct ring *r)
{
	r->shared->keeper_waits = 1;
	return ring_room(r) == 0;
}

void
ring_keeper_wakes(struct ring *r)
{
	r->shared->keeper_waits = 0;
}
