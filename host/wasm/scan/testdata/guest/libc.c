// A reactor with wasi-libc, which imports what printf and malloc ask for.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *out;

__attribute__((export_name("callgate_abi_1_0"))) void abi(void) {}

__attribute__((export_name("callgate_evaluate"))) unsigned long long evaluate(void) {
  free(out);
  out = malloc(64);
  double weight = strtod("0.5", NULL);
  int len = snprintf(out, 64, "{\"outcome\":\"%s\"}", weight < 1 ? "abstain" : "deny");
  printf("%d bytes\n", len);
  return (unsigned long long)(unsigned long)out << 32 | (unsigned)len;
}
