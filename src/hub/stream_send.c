#include "hub/stream_send.h"

#include "base/buf.h"
#include "base/json_tree.h"
#include "home/fault.h"
#include "hub/socket.h"
#include "hub/stream_message.h"
#include "hub/stream_state.h"

static void
note_queue(struct stream *s)
{
	if (socket_queued(s->socket) >= SOCKET_HIGH)
		s->choked = true;
}

size_t
stream_send_object(struct stream *s, json_t *object)
{
	struct buf b;
	size_t len;

	buf_init(&b, SIZE_MAX);
	json_tree_write(object, &b);
	json_decref(object);
	len = b.len;
	if (len > 0) {
		socket_send(s->socket, false, NULL, 0, b.data, len);
		note_queue(s);
	}
	buf_finish(&b);
	return len;
}

void
stream_send_answer(struct stream *s, uint64_t id, json_t *result)
{
	if (id == 0)
		json_decref(result);
	else
		stream_send_object(s,
		    json_pack("{s:s,s:I,s:b,s:o}", "type", "answer", "id",
			(json_int_t)id, "ok", 1, "result", result));
}

void
stream_send_error(struct stream *s, uint64_t id, const char *code,
    const char *message, bool retryable)
{
	if (id != 0)
		stream_send_object(s,
		    json_pack("{s:s,s:I,s:b,s:{s:s,s:o,s:b}}", "type", "answer",
			"id", (json_int_t)id, "ok", 0, "error", "code", code,
			"message", json_tree_text(message), "retryable",
			retryable));
}

void
stream_send_fault(struct stream *s, uint64_t id, const struct fault *f)
{
	char words[FAULT_WORDS_MAX];

	fault_words(f, f->argument, "", words);
	stream_send_error(s, id, failure_code(f->failure), words,
	    failure_is_retryable(f->failure));
}

size_t
stream_send_event(struct stream *s, uint32_t sub, const char *name,
    json_t *fields)
{
	json_t *o = json_pack("{s:s,s:I,s:s}", "type", "event", "sub",
	    (json_int_t)sub, "event", name);

	if (fields != NULL) {
		stream_clean(fields);
		json_object_update_missing(o, fields);
		json_decref(fields);
	}
	return stream_send_object(s, o);
}

void
stream_send_binary(struct stream *s, const void *head, size_t head_len,
    const void *p, size_t len)
{
	socket_send(s->socket, true, head, head_len, p, len);
	note_queue(s);
}
