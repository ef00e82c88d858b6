#include "policy/policy.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "op/ops.h"
#include "policy/glob.h"

/* One allowance or denial: every action for every actor. */
struct rule {
	bool denies;
	unsigned permissions;
	char *actor; /* a pattern */
};

/* The rules of one target. */
struct target {
	char *pattern; /* of names */
	struct rule *rules;
	size_t n;
};

struct policy {
	struct target *targets;
	size_t n;
	struct target fallback; /* sessions without a target of their own */
	struct target home;
	/* Bureau's older form: exact names before the default. */
	struct target *legacy;
	size_t n_legacy;
	struct target legacy_default;
	size_t rules; /* of all */
};

/* The permission of an action; OP_PERMISSIONS if there is no such action. */
static enum op_permission
find_action(const char *action)
{
	static const struct {
		const char *action;
		enum op_permission permission;
	} table[] = {
		{ "observe", OP_OBSERVE },
		{ "observe/read-write", OP_DRIVE },
		{ "control", OP_CONTROL },
		{ "create", OP_CREATE },
		{ "approve", OP_APPROVE },
		{ "admin", OP_ADMIN },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (strcmp(table[i].action, action) == 0)
			return table[i].permission;
	}
	return OP_PERMISSIONS;
}

/* ------------------------------------------------------------------ reading */

static int
add_rule(struct policy *p, struct target *t, bool denies, unsigned permissions,
    const char *actor, const char *where, struct error *err)
{
	struct error why;

	if (++p->rules > POLICY_RULES_MAX)
		return error_set(err, EINVAL,
		    "the policy has more than %d rules", POLICY_RULES_MAX);
	if (glob_check(actor, &why) < 0)
		return error_set(err, EINVAL, "%s: %.150s", where, why.msg);
	t->rules = xrealloc(t->rules, t->n + 1, sizeof(*t->rules));
	t->rules[t->n++] = (struct rule){ .denies = denies,
		.permissions = permissions,
		.actor = xstrdup(actor) };
	return 0;
}

/* The actions of one allowance. */
static int
read_actions(const json_t *list, const char *where, unsigned *out,
    struct error *err)
{
	*out = 0;
	if (!json_is_array(list) || json_array_size(list) == 0)
		return error_set(err, EINVAL,
		    "%s needs \"actions\", a list such as [\"observe\"]",
		    where);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *s = json_string_value(json_array_get(list, i));
		enum op_permission permission = s != NULL ? find_action(s) :
							    OP_PERMISSIONS;

		if (permission == OP_PERMISSIONS)
			return error_set(err, EINVAL,
			    "%s: \"%.40s\" is no action; there are observe, "
			    "observe/read-write, control, create, approve and "
			    "admin",
			    where, s != NULL ? s : "(no text)");
		*out |= 1u << permission;
	}
	return 0;
}

/* A list of patterns of principals, each with these permissions. */
static int
read_actors(struct policy *p, struct target *t, const json_t *list, bool denies,
    unsigned permissions, const char *where, struct error *err)
{
	int rc = 0;

	if (!json_is_array(list) || json_array_size(list) == 0)
		return error_set(err, EINVAL,
		    "%s needs \"actors\", a list such as [\"user:ann\"]",
		    where);
	for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
		const char *s = json_string_value(json_array_get(list, i));

		rc = s == NULL ?
		    error_set(err, EINVAL, "%s: an actor must be a text",
			where) :
		    add_rule(p, t, denies, permissions, s, where, err);
	}
	return rc;
}

static int
check_members(const json_t *o, const char *const *names, const char *where,
    struct error *err)
{
	const char *key;
	json_t *value;

	if (!json_is_object(o))
		return error_set(err, EINVAL, "%s must be an object", where);
	json_object_foreach((json_t *)o, key, value)
	{
		size_t i = 0;

		while (names[i] != NULL && strcmp(names[i], key) != 0)
			i++;
		if (names[i] == NULL)
			return error_set(err, EINVAL,
			    "%s has the unknown member \"%.40s\"", where, key);
	}
	return 0;
}

static int
read_rules(struct policy *p, struct target *t, const json_t *list, bool denies,
    const char *where, struct error *err)
{
	static const char *const names[] = { "actions", "actors", NULL };
	unsigned permissions;
	char place[128];
	int rc = 0;

	if (list != NULL && !json_is_array(list))
		return error_set(err, EINVAL, "%s: %s must be a list", where,
		    denies ? "denials" : "allowances");
	for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
		const json_t *o = json_array_get(list, i);

		snprintf(place, sizeof(place), "%.80s, %s %zu", where,
		    denies ? "denial" : "allowance", i + 1);
		rc = check_members(o, names, place, err);
		if (rc == 0)
			rc = read_actions(json_object_get(o, "actions"), place,
			    &permissions, err);
		if (rc == 0)
			rc = read_actors(p, t, json_object_get(o, "actors"),
			    denies, permissions, place, err);
	}
	return rc;
}

static int
read_target(struct policy *p, struct target *t, const json_t *o,
    const char *where, struct error *err)
{
	static const char *const names[] = { "allowances", "denials", NULL };
	int rc = check_members(o, names, where, err);

	if (rc == 0)
		rc = read_rules(p, t, json_object_get(o, "allowances"), false,
		    where, err);
	if (rc == 0)
		rc = read_rules(p, t, json_object_get(o, "denials"), true,
		    where, err);
	return rc;
}

/* A list of the older form may be empty. */
static int
read_observers(struct policy *p, struct target *t, const json_t *list,
    enum op_permission permission, const char *where, struct error *err)
{
	char place[128];

	snprintf(place, sizeof(place), "%.80s, %s", where,
	    permission == OP_OBSERVE ? "AllowedObservers" :
				       "ReadWriteObservers");
	if (json_is_array(list) && json_array_size(list) == 0)
		return 0;
	if (!json_is_array(list))
		return error_set(err, EINVAL, "%s must be a list", place);
	return read_actors(p, t, list, false, 1u << permission, place, err);
}

/* Bureau's older form (B-40): two lists of observers. */
static int
read_legacy(struct policy *p, struct target *t, const json_t *o,
    const char *where, struct error *err)
{
	static const char *const names[] = { "AllowedObservers",
		"ReadWriteObservers", NULL };
	const json_t *watch = json_object_get(o, names[0]);
	const json_t *drive = json_object_get(o, names[1]);
	int rc = check_members(o, names, where, err);

	if (rc == 0 && watch != NULL)
		rc = read_observers(p, t, watch, OP_OBSERVE, where, err);
	if (rc == 0 && drive != NULL)
		rc = read_observers(p, t, drive, OP_DRIVE, where, err);
	return rc;
}

typedef int read_fn(struct policy *p, struct target *t, const json_t *o,
    const char *where, struct error *err);

/* An object of targets by name or pattern. */
static int
read_targets(struct policy *p, const json_t *o, struct target **list, size_t *n,
    read_fn *fn, struct error *err)
{
	const char *key;
	json_t *value;
	struct error why;
	int rc = 0;

	if (o == NULL)
		return 0;
	if (!json_is_object(o))
		return error_set(err, EINVAL,
		    "the targets must be an object of names");
	json_object_foreach((json_t *)o, key, value)
	{
		if (glob_check(key, &why) < 0)
			return error_set(err, EINVAL, "target: %.150s",
			    why.msg);
		*list = xrealloc(*list, *n + 1, sizeof(**list));
		(*list)[*n] = (struct target){ .pattern = xstrdup(key) };
		rc = fn(p, &(*list)[(*n)++], value, key, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int
read_all(struct policy *p, const json_t *o, struct error *err)
{
	static const char *const names[] = { "home", "default", "targets",
		"ObservePolicy", "DefaultObservePolicy", NULL };
	const json_t *home = json_object_get(o, "home");
	const json_t *fallback = json_object_get(o, "default");
	const json_t *old = json_object_get(o, "DefaultObservePolicy");
	int rc = check_members(o, names, "the policy", err);

	if (rc == 0 && home != NULL)
		rc = read_target(p, &p->home, home, "home", err);
	if (rc == 0 && fallback != NULL)
		rc = read_target(p, &p->fallback, fallback, "default", err);
	if (rc == 0)
		rc = read_targets(p, json_object_get(o, "targets"), &p->targets,
		    &p->n, read_target, err);
	if (rc == 0 && old != NULL)
		rc = read_legacy(p, &p->legacy_default, old,
		    "DefaultObservePolicy", err);
	if (rc == 0)
		rc = read_targets(p, json_object_get(o, "ObservePolicy"),
		    &p->legacy, &p->n_legacy, read_legacy, err);
	return rc;
}

static void
finish_target(struct target *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->rules[i].actor);
	free(t->rules);
	free(t->pattern);
}

void
policy_destroy(struct policy *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->n; i++)
		finish_target(&p->targets[i]);
	for (size_t i = 0; i < p->n_legacy; i++)
		finish_target(&p->legacy[i]);
	finish_target(&p->fallback);
	finish_target(&p->home);
	finish_target(&p->legacy_default);
	free(p->targets);
	free(p->legacy);
	free(p);
}

struct policy *
policy_read(const char *json, size_t len, struct error *err)
{
	struct policy *p;
	auto_json json_t *o = NULL;

	if (len > POLICY_MAX) {
		error_set(err, EFBIG, "the policy is longer than %u bytes",
		    POLICY_MAX);
		return NULL;
	}
	o = json_tree_object(json, len, err);
	if (o == NULL)
		return NULL;
	p = xcalloc(1, sizeof(*p));
	if (read_all(p, o, err) < 0) {
		policy_destroy(p);
		return NULL;
	}
	return p;
}

/* ----------------------------------------------------------------- deciding */

struct decision {
	unsigned allowed, denied;
};

static void
apply(const struct target *t, const char *principal, struct decision *d)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!glob_match(t->rules[i].actor, principal))
			continue;
		if (t->rules[i].denies)
			d->denied |= t->rules[i].permissions;
		else
			d->allowed |= t->rules[i].permissions;
	}
}

/* The older form has no patterns of targets: an exact name, or the default. */
static void
apply_legacy(const struct policy *p, const char *principal, const char *target,
    struct decision *d)
{
	for (size_t i = 0; i < p->n_legacy; i++) {
		if (strcmp(p->legacy[i].pattern, target) == 0) {
			apply(&p->legacy[i], principal, d);
			return;
		}
	}
	apply(&p->legacy_default, principal, d);
}

unsigned
policy_permissions(const struct policy *p, const char *principal,
    const char *target)
{
	struct decision d = { 0 };
	bool own = false;

	if (p == NULL)
		return 0;
	for (size_t i = 0; i < p->n; i++) {
		if (glob_match(p->targets[i].pattern, target)) {
			apply(&p->targets[i], principal, &d);
			own = true;
		}
	}
	if (!own) {
		apply(&p->fallback, principal, &d);
		apply_legacy(p, principal, target, &d);
	}
	return d.allowed & ~d.denied;
}

unsigned
policy_home(const struct policy *p, const char *principal)
{
	struct decision d = { 0 };

	if (p == NULL)
		return 0;
	apply(&p->home, principal, &d);
	return d.allowed & ~d.denied;
}
