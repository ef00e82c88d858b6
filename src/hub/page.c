#include "hub/page.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/version.h"
#include "hub/access.h"
#include "hub/exchange.h"
#include "hub/hub.h"
#include "op/visible.h"

#define HTML "text/html; charset=utf-8"

#define HEAD \
	"<!doctype html>\n" \
	"<html lang=\"en\">\n" \
	"<meta charset=\"utf-8\">\n" \
	"<meta name=\"viewport\" content=\"width=device-width\">\n" \
	"<link rel=\"stylesheet\" href=\"/page.css\">\n"

static void
answer(struct exchange *x, const char *type, const char *text)
{
	exchange_text(x, 200, type, text, strlen(text));
}

void
page_root(struct exchange *x)
{
	answer(x, HTML,
	    HEAD
	    "<title>tend</title>\n"
	    "<main>\n"
	    "<h1>tend</h1>\n"
	    "<p>This is the hub of a tend home. It serves terminal sessions "
	    "to programs and browsers that have logged in.</p>\n"
	    "<ul>\n"
	    "<li>To log in with this browser, run <code>tend hub login</code> "
	    "on the machine of the hub and open the link that it "
	    "prints.</li>\n"
	    "<li>Programs use a token, which <code>tend token create</code> "
	    "prints, in the header <code>Authorization: Bearer "
	    "TOKEN</code>.</li>\n"
	    "<li>Every operation is at "
	    "<code>/api/v1/GROUP/VERB</code>; <code>/openapi.json</code> "
	    "describes them. Live output is at "
	    "<code>/api/v1/stream</code>.</li>\n"
	    "</ul>\n"
	    "</main>\n");
}

void
page_login(struct exchange *x)
{
	answer(x, HTML,
	    HEAD "<title>Log in to tend</title>\n"
		 "<main>\n"
		 "<h1>tend</h1>\n"
		 "<p id=\"state\">Logging in…</p>\n"
		 "<noscript><p>Logging in needs JavaScript.</p></noscript>\n"
		 "</main>\n"
		 "<script src=\"/login.js\"></script>\n");
}

/*
 * The code of a login, or the secret of a share link, is in the fragment of the
 * link, which a browser sends to no server.
 * The key stays in the storage of this origin, port included.
 */
void
page_script(struct exchange *x)
{
	answer(x, "text/javascript; charset=utf-8",
	    "'use strict';\n"
	    "const state = document.getElementById('state');\n"
	    "const say = (text) => { state.textContent = text; };\n"
	    "async function logIn(secret) {\n"
	    "\thistory.replaceState(null, '', '/login');\n"
	    "\tconst answer = await fetch('/api/v1/login', {\n"
	    "\t\tmethod: 'POST',\n"
	    "\t\theaders: { 'Content-Type': 'application/json' },\n"
	    "\t\tbody: JSON.stringify(secret),\n"
	    "\t});\n"
	    "\tconst body = await answer.json();\n"
	    "\tif (!answer.ok) {\n"
	    "\t\tsay(`Not logged in: ${body.detail}. Ask for a new link, or "
	    "run \"tend hub login\" on the machine of the hub.`);\n"
	    "\t\treturn;\n"
	    "\t}\n"
	    "\tlocalStorage.setItem('tend-key', body.key);\n"
	    "\tsay(`Logged in as ${body.principal}.`);\n"
	    "\tdocument.body.dataset.principal = body.principal;\n"
	    "}\n"
	    "const link = new URLSearchParams(location.hash.slice(1));\n"
	    "const code = link.get('code');\n"
	    "const share = link.get('share');\n"
	    "if (code)\n"
	    "\tlogIn({ code });\n"
	    "else if (share)\n"
	    "\tlogIn({ share });\n"
	    "else\n"
	    "\tsay('This link has no code. Run \"tend hub login\" for a new "
	    "one.');\n");
}

void
page_style(struct exchange *x)
{
	answer(x, "text/css; charset=utf-8",
	    ":root { color-scheme: light dark; }\n"
	    "body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }\n"
	    "main { max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }\n"
	    "code { font-family: ui-monospace, monospace; }\n");
}

void
page_health(struct exchange *x)
{
	answer(x, "text/plain; charset=utf-8", "ok\n");
}

void
page_ready(struct exchange *x)
{
	if (exchange_hub(x)->ready)
		answer(x, "text/plain; charset=utf-8", "ready\n");
	else
		exchange_problem(x, 503, "busy",
		    "the hub still reads the sessions of its home");
}

void
page_status(struct exchange *x)
{
	const struct hub *hub = exchange_hub(x);
	const struct visible by = { .granted = access_home(hub->access,
					exchange_identity(x)) };
	char socket[PATH_MAX + 16];
	json_t *o;

	snprintf(socket, sizeof(socket), "%s/%s", hub->home.path, HUB_SOCKET);
	o = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s?}", "pid", (int)getpid(),
	    "url", hub->url, "socket", socket, "home", hub->home.path,
	    "version", TEND_VERSION, "fingerprint",
	    hub->fingerprint[0] != '\0' ? hub->fingerprint : NULL);
	visible_limit(&by, "hub_status", o);
	exchange_json(x, 200, o);
}
