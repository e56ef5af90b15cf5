// Reads the whole snapshot, and scans it for the strings in it.
@external("callgate_v0", "get")
declare function get(path: usize, pathLen: u32, buf: usize, limit: u32): u64;

const text = memory.data(65536);
const abstain = memory.data<u8>([0x7b, 0x22, 0x6f, 0x75, 0x74, 0x63, 0x6f, 0x6d, 0x65, 0x22, 0x3a, 0x22, 0x61, 0x62, 0x73, 0x74, 0x61, 0x69, 0x6e, 0x22, 0x7d]);

export function callgate_abi_1_0(): void {}

export function callgate_evaluate(): u64 {
  const n = <u32>get(0, 0, text, 65536);
  let hash: u32 = 0;
  let strings: u32 = 0;
  for (let i: u32 = 0; i < n; i++) {
    if (load<u8>(text + i) != 0x22) continue;
    strings++;
    for (i++; i < n && load<u8>(text + i) != 0x22; i++) {
      if (load<u8>(text + i) == 0x5c) i++;
      hash = (hash ^ load<u8>(text + i)) * 16777619;
    }
  }
  return hash == 7 || strings == 0 ? 0 : ((<u64>abstain) << 32) | 21;
}
