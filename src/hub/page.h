#ifndef TEND_HUB_PAGE_H
#define TEND_HUB_PAGE_H

struct exchange;

/* Routes that need no credential, and the status of the hub. */
void page_root(struct exchange *x);   /* GET / */
void page_login(struct exchange *x);  /* GET /login */
void page_script(struct exchange *x); /* GET /login.js */
void page_style(struct exchange *x);  /* GET /page.css */
void page_health(struct exchange *x); /* GET /healthz */
void page_ready(struct exchange *x);  /* GET /readyz */
void page_status(struct exchange *x); /* GET /api/v1/hub/status */

#endif
