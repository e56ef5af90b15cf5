// Looks two members up.
#include "callgate.h"

static char tool[256], to[256];

__attribute__((export_name("callgate_evaluate"))) u64 evaluate(void) {
	u32 a = GET("/call/tool", tool), b = GET("/call/arguments/to", to);
	return a > 3 && tool[0] == 'x' && b > 0 && to[0] == 'y' ? ANSWER(deny) : ANSWER(abstain);
}
