#include "cmd/hub/hub_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "home/fault.h"
#include "session/home.h"

#define API "/api/v1/"

static int
no_hub(const struct home *h, struct fault *f)
{
	return fault_set(f, FAIL_NOT_RUNNING,
	    "no hub serves the home %s; 'tend hub start' starts one", h->path);
}

int
hub_client_connect(const struct home *h, struct fault *f)
{
	const struct timeval limit = { .tv_sec = HUB_CLIENT_MS / 1000 };
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (h->fd < 0)
		return no_hub(h, f);
	/* The home may have a longer path than a socket's address. */
	snprintf(sa.sun_path, sizeof(sa.sun_path), "/proc/self/fd/%d/hub.sock",
	    h->fd);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0) {
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit,
		    sizeof(limit));
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit,
		    sizeof(limit));
		return fd_take(&fd);
	}
	if (errno == ENOENT || errno == ECONNREFUSED)
		return no_hub(h, f);
	return fault_set(f, FAIL_UNREACHABLE,
	    "cannot reach the hub of the home %s: %s", h->path,
	    strerror(errno));
}

/* -------------------------------------------------------------- the exchange */

static int
cut_off(struct fault *f)
{
	return fault_set(f, FAIL_CUT_OFF,
	    "the hub ended before its answer; 'tend hub status' shows whether "
	    "it runs");
}

static int
send_request(int fd, const char *method, const char *path, const char *body,
    struct fault *f)
{
	struct buf b;
	int rc;

	buf_init(&b, SIZE_MAX);
	buf_printf(&b,
	    "%s %s HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n"
	    "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
	    method, path, strlen(body), body);
	rc = fd_write_all(fd, b.data, b.len);
	explicit_bzero(b.data, b.len);
	buf_finish(&b);
	return rc == 0 ? 0 : cut_off(f);
}

/* Everything up to the end of the connection. */
static int
receive(int fd, struct buf *b, struct fault *f)
{
	uint8_t part[16384];
	ssize_t n;

	while ((n = recv(fd, part, sizeof(part), 0)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return fault_set(f, FAIL_TIMEOUT,
			    "the hub has not answered for %d seconds; hub.log "
			    "in its home may say why",
			    HUB_CLIENT_MS / 1000);
		if (n < 0)
			return cut_off(f);
		if (buf_append(b, part, (size_t)n) < 0)
			return fault_set(f, FAIL_INTERNAL,
			    "the hub's answer is larger than %u MiB; ask for "
			    "less",
			    HUB_CLIENT_MAX >> 20);
	}
	return buf_putc(b, '\0') < 0 ? cut_off(f) : 0;
}

/* The status and the body of a complete answer; the text ends with a NUL. */
static const char *
split(const char *text, int *status)
{
	const char *end = strstr(text, "\r\n\r\n");
	const char *field = strcasestr(text, "\r\ncontent-length:");

	if (end == NULL || field == NULL || field > end ||
	    sscanf(text, "HTTP/1.1 %d ", status) != 1)
		return NULL;
	end += 4;
	return strlen(end) == strtoul(field + 17, NULL, 10) ? end : NULL;
}

static int
refused(const json_t *problem, struct fault *f)
{
	const char *code = json_string_value(json_object_get(problem, "code"));
	const char *detail = json_string_value(
	    json_object_get(problem, "detail"));

	return fault_set(f, code != NULL ? failure_called(code) : FAIL_PROTOCOL,
	    "%s", detail != NULL ? detail : "the hub refused the request");
}

static int
take_answer(const char *text, json_t **result, struct fault *f)
{
	int status = 0;
	const char *body = split(text, &status);
	struct error err;
	json_t *o;

	if (body == NULL)
		return cut_off(f);
	o = json_tree_object(body, strlen(body), &err);
	if (o == NULL)
		return fault_set(f, FAIL_PROTOCOL,
		    "the hub's answer cannot be read: %s", err.msg);
	if (status == 200) {
		*result = o;
		return 0;
	}
	refused(o, f);
	json_decref(o);
	return -1;
}

static int
ask(const struct home *h, const char *method, const char *path,
    const char *body, json_t **result, struct fault *f)
{
	auto_close int fd = hub_client_connect(h, f);
	struct buf b;
	int rc;

	if (fd < 0)
		return -1;
	buf_init(&b, HUB_CLIENT_MAX);
	rc = send_request(fd, method, path, body, f);
	if (rc == 0)
		rc = receive(fd, &b, f);
	if (rc == 0)
		rc = take_answer((const char *)b.data, result, f);
	if (b.len > 0)
		explicit_bzero(b.data, b.len);
	buf_finish(&b);
	return rc;
}

int
hub_client_call(const struct home *h, const char *op, json_t *args,
    json_t **result, struct fault *f)
{
	auto_free char *body = json_dumps(args, JSON_COMPACT);
	char path[96];

	snprintf(path, sizeof(path), API "%s", op);
	path[strlen(API) + strcspn(op, ".")] = '/';
	json_decref(args);
	return ask(h, "POST", path, body, result, f);
}

int
hub_client_status(const struct home *h, json_t **result, struct fault *f)
{
	return ask(h, "GET", API "hub/status", "", result, f);
}
