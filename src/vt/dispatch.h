#ifndef TEND_VT_DISPATCH_H
#define TEND_VT_DISPATCH_H

#include "vt/parser.h"

/*
 * Finds the handler of a sequence, by tables that the compiler makes from
 * seq.def.  The argument of the operations is the struct vt.
 */
extern const struct parser_ops dispatch_ops;

#endif
