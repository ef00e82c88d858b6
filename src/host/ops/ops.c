#include "host/ops/ops.h"

#include <stddef.h>

op_fn *const op_handlers[OP_COUNT] = {
#define OP(group, verb, ...) op_##group##_##verb,
#define HOME_OP(group, verb, ...) NULL,
#include "op/ops.def"
};
