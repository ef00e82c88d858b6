#ifndef TEND_BASE_LIST_H
#define TEND_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A doubly linked ring.  The list's owner holds one `struct list` as its head
 * and every element embeds another; container_of leads from the link back to
 * the element.  Nothing is allocated and nothing is owned.
 */
struct list {
	struct list *prev;
	struct list *next;
};

/* The struct of the given type whose member the pointer points at. */
#define container_of(ptr, type, member) \
	((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/* it must not be removed from the list inside the body. */
#define list_for_each(it, head) \
	for (struct list *it = (head)->next; it != (head); it = it->next)

/* it may be removed, and freed, inside the body; its neighbours may not. */
#define list_for_each_safe(it, head) \
	for (struct list *it = (head)->next, *it##_next = it->next; \
	     it != (head); it = it##_next, it##_next = it->next)

/* An empty head, or an element that is in no list. */
static inline void
list_init(struct list *l)
{
	l->prev = l;
	l->next = l;
}

static inline bool
list_is_empty(const struct list *head)
{
	return head->next == head;
}

/* Put elm right after `where`: after the head means first. */
static inline void
list_insert(struct list *where, struct list *elm)
{
	elm->prev = where;
	elm->next = where->next;
	where->next->prev = elm;
	where->next = elm;
}

/* Put elm last. */
static inline void
list_append(struct list *head, struct list *elm)
{
	list_insert(head->prev, elm);
}

/* Take elm out of its list, if it is in one. */
static inline void
list_remove(struct list *elm)
{
	elm->prev->next = elm->next;
	elm->next->prev = elm->prev;
	list_init(elm);
}

#endif
