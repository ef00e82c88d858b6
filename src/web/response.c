#include "web/response.h"

#include <inttypes.h>

#include "base/buf.h"

static const char strict
    [] = "Content-Security-Policy: default-src 'none'; script-src 'self'; "
	 "style-src 'self'; connect-src 'self'; img-src 'self' data:; "
	 "font-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
	 "form-action 'none'; require-trusted-types-for 'script'\r\n"
	 "X-Content-Type-Options: nosniff\r\n"
	 "X-Frame-Options: DENY\r\n"
	 "Referrer-Policy: no-referrer\r\n"
	 "Cross-Origin-Opener-Policy: same-origin\r\n"
	 "Cross-Origin-Resource-Policy: same-origin\r\n"
	 "Cache-Control: no-store\r\n";

const char *
response_reason(int status)
{
	static const struct {
		int status;
		const char *reason;
	} table[] = {
		{ 101, "Switching Protocols" },
		{ 200, "OK" },
		{ 201, "Created" },
		{ 204, "No Content" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 408, "Request Timeout" },
		{ 409, "Conflict" },
		{ 412, "Precondition Failed" },
		{ 413, "Content Too Large" },
		{ 414, "URI Too Long" },
		{ 415, "Unsupported Media Type" },
		{ 421, "Misdirected Request" },
		{ 422, "Unprocessable Content" },
		{ 426, "Upgrade Required" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 499, "Cancelled" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 504, "Gateway Timeout" },
		{ 505, "HTTP Version Not Supported" },
		{ 507, "Insufficient Storage" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (table[i].status == status)
			return table[i].reason;
	}
	return "Error";
}

void
response_put_strict(struct buf *out)
{
	(void)buf_puts(out, strict);
}

void
response_head(struct buf *out, const struct response *r)
{
	(void)buf_printf(out, "HTTP/1.1 %d %s\r\n", r->status,
	    response_reason(r->status));
	response_put_strict(out);
	if (r->type != NULL)
		(void)buf_printf(out, "Content-Type: %s\r\n", r->type);
	if (r->length != RESPONSE_ENDLESS)
		(void)buf_printf(out, "Content-Length: %" PRIu64 "\r\n",
		    r->length);
	(void)buf_puts(out,
	    r->keep_alive ? "Connection: keep-alive\r\n" :
			    "Connection: close\r\n");
	(void)buf_append(out, r->extra, r->extra_len);
	(void)buf_puts(out, "\r\n");
}
