// A guest without a library: it asks for one value and denies.
typedef unsigned int u32;
typedef unsigned long long u64;

__attribute__((import_module("callgate_v0"), import_name("get"))) u64 get(const char *path, u32 path_len, char *buf, u32 limit);

static char buf[256];
static const char out[] = "{\"outcome\":\"deny\",\"code\":\"EXAMPLE\"}";

__attribute__((export_name("callgate_abi_1_0"))) void abi(void) {}

__attribute__((export_name("callgate_evaluate"))) u64 evaluate(void) {
  static const char path[] = "/call/tool";
  u32 len = (u32)get(path, sizeof path - 1, buf, sizeof buf);
  return len > sizeof buf ? 0 : (u64)(u32)out << 32 | (sizeof out - 1);
}
