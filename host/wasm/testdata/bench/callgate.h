// What the guests of the table in host/wasm/README.md share.
typedef unsigned int u32;
typedef unsigned long long u64;

__attribute__((import_module("callgate_v0"), import_name("get"))) u64 get(const char *path, u32 path_len, char *buf, u32 limit);
__attribute__((export_name("callgate_abi_1_0"))) void abi(void) {}

#define GET(path, buf) ((u32)get(path, sizeof path - 1, buf, sizeof buf))
#define ANSWER(text) ((u64)(u32)(text) << 32 | (sizeof(text) - 1))

static const char abstain[] = "{\"outcome\":\"abstain\"}";
static const char deny[] = "{\"outcome\":\"deny\",\"code\":\"BAD\"}";
