#include "log/record.h"

#include "base/bytes.h"
#include "base/crc32c.h"

#define MAGIC 0x6474u
#define CRC_AT 24

enum tag_flags { EVENT = 1, JSON = 2 };

struct tag {
	const char *name;
	unsigned flags;
};

static const struct tag tags[] = {
#define TAG(number, name, ID, flags, summary) [number] = { name, flags },
#include "log/records.def"
};

#define TAG_COUNT (sizeof(tags) / sizeof(tags[0]))

const char *
record_name(unsigned type)
{
	return type < TAG_COUNT ? tags[type].name : NULL;
}

bool
record_is_event(unsigned type)
{
	return record_name(type) == NULL || (tags[type].flags & EVENT) != 0;
}

bool
record_is_json(unsigned type)
{
	return record_name(type) != NULL && (tags[type].flags & JSON) != 0;
}

/* The CRC's initial value: a record is valid in one place of one file only. */
static uint32_t
seed(uint64_t nonce, uint64_t at)
{
	uint8_t place[16];

	put_u64le(place, nonce);
	put_u64le(place + 8, at);
	return crc32c(0, place, sizeof(place));
}

void
record_header(uint8_t out[RECORD_HEADER], const struct record *r,
    uint64_t nonce, uint64_t at, const void *p1, size_t len1, const void *p2,
    size_t len2)
{
	uint32_t crc;

	put_u16le(out, MAGIC);
	out[2] = r->type;
	out[3] = r->flags;
	put_u32le(out + 4, (uint32_t)(len1 + len2));
	put_u64le(out + 8, r->seq);
	put_u64le(out + 16, r->time_ns);
	crc = crc32c(seed(nonce, at), out, CRC_AT);
	crc = crc32c(crc, p1, len1);
	put_u32le(out + CRC_AT, crc32c(crc, p2, len2));
}

/* True if these may be the first bytes of a record. */
static bool
may_begin(const uint8_t *p, size_t len)
{
	return (len < 1 || p[0] == (MAGIC & 0xff)) &&
	    (len < 2 || p[1] == MAGIC >> 8) &&
	    (len < 8 || get_u32le(p + 4) <= RECORD_PAYLOAD_MAX);
}

enum record_state
record_parse(const uint8_t *p, size_t len, uint64_t nonce, uint64_t at,
    struct record *out)
{
	uint32_t payload, crc;

	if (!may_begin(p, len))
		return RECORD_BAD;
	if (len < RECORD_HEADER)
		return RECORD_SHORT;
	payload = get_u32le(p + 4);
	if (len - RECORD_HEADER < payload)
		return RECORD_SHORT;
	crc = crc32c(seed(nonce, at), p, CRC_AT);
	if (crc32c(crc, p + RECORD_HEADER, payload) != get_u32le(p + CRC_AT))
		return RECORD_BAD;
	*out = (struct record){
		.type = p[2],
		.flags = p[3],
		.len = payload,
		.seq = get_u64le(p + 8),
		.time_ns = get_u64le(p + 16),
		.payload = p + RECORD_HEADER,
	};
	return RECORD_VALID;
}
