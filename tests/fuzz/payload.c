/*
 * Any bytes as the payload of a record, whose type is the first byte.
 * Decoding reads nothing beyond their end.  A decoded payload is encoded, and
 * another round gives the same.
 */
#include "log/payload.h"

#include "base/buf.h"
#include "fuzz.h"
#include "log/payload_json.h"
#include "log/record.h"

#define ENCODED_MAX (1u << 20)

#define RECORD(number, title, name, NAME, flags, summary) \
	static void round_##name(const uint8_t *p, size_t len) \
	{ \
		struct payload_##name x; \
		struct buf a, b; \
		buf_init(&a, ENCODED_MAX); \
		buf_init(&b, ENCODED_MAX); \
		payload_##name##_decode(&x, p, len); \
		payload_##name##_encode(&x, &a); \
		MUST(!a.full); \
		MUST(payload_##name##_decode(&x, a.data, a.len)); \
		payload_##name##_encode(&x, &b); \
		MUST(buf_equals(&a, &b)); \
		buf_finish(&a); \
		buf_finish(&b); \
	}
#include "log/records.def"

/* A tree can be encoded only by the host, which has the texts. */
#define JSON_RECORD(number, title, name, NAME, summary) \
	static void round_##name(const uint8_t *p, size_t len) \
	{ \
		struct payload_##name x; \
		json_t *tree = NULL; \
		MUST(payload_##name##_decode(&x, p, len, &tree) == \
		    (tree != NULL)); \
		json_decref(tree); \
	}
#include "log/records.def"

static void (*const rounds[256])(const uint8_t *p, size_t len) = {
#define RECORD(number, title, name, NAME, flags, summary) \
	[RECORD_##NAME] = round_##name,
#define JSON_RECORD(number, title, name, NAME, summary) \
	[RECORD_##NAME] = round_##name,
#include "log/records.def"
};

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t len)
{
	if (len > 0 && len < ENCODED_MAX / 2 && rounds[p[0]] != NULL)
		rounds[p[0]](p + 1, len - 1);
	return 0;
}
