// Looks one of two members up, a hundred times.
#include "callgate.h"

static char tool[256], to[256];

__attribute__((export_name("callgate_evaluate"))) u64 evaluate(void) {
	u32 n = 0;
	for (u32 i = 0; i < 50; i++)
		n += GET("/call/tool", tool) + GET("/call/arguments/to", to);
	return n == 7 ? ANSWER(deny) : ANSWER(abstain);
}
