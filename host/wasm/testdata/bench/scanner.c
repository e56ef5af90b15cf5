// Reads the whole snapshot, and scans it for the strings in it.
#include "callgate.h"

static char text[65536];

__attribute__((export_name("callgate_evaluate"))) u64 evaluate(void) {
	u32 n = GET("", text), hash = 0, strings = 0;
	for (u32 i = 0; i < n && i < sizeof text; i++) {
		if (text[i] != '"')
			continue;
		strings++;
		for (i++; i < n && text[i] != '"'; i++) {
			if (text[i] == '\\')
				i++;
			hash = (hash ^ (unsigned char)text[i]) * 16777619u;
		}
	}
	return hash == 7 || strings == 0 ? ANSWER(deny) : ANSWER(abstain);
}
