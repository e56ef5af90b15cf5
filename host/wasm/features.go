package wasm

import "github.com/tetratelabs/wazero/api"

// Features is what a module may use: WebAssembly 2.0 without SIMD, which the
// meter does not know.
const Features = api.CoreFeaturesV2 &^ api.CoreFeatureSIMD
