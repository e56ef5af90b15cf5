package scan

// A Limit is something that is counted.
type Limit int

// What is counted, in the order of the table below.
const (
	ModuleBytes Limit = iota
	CustomSections
	CustomBytes
	ManifestBytes
	Types
	TypeValues
	Imports
	Functions
	Tables
	TableMinimum
	MemoryPages
	Globals
	Exports
	Elements
	ElementEntries
	DataSegments
	BodyBytes
	Locals
	ModuleLocals
	Nesting
	Stack
	BranchTargets
	ModuleTargets
	LoopDepth
	LoopDepthLocals
	LoopLocals
	BlockLocals
	ModuleBlockLocals
	ModuleFlow
	ModuleValues
	limitCount
)

// The defaults. "Go" is the largest honest guest that was measured: Go 1.26,
// -buildmode=c-shared, with encoding/json.
const (
	MaxModuleBytes       = 16 << 20    // Go 3.3 MB; compiling is linear in it
	MaxCustomSections    = 256         // names, a manifest, and DWARF has about twelve
	MaxCustomBytes       = 4 << 20     // names and DWARF are kept in memory while loading
	MaxManifestBytes     = 1 << 20     // a manifest is read whole, and shown
	MaxTypes             = 10_000      // Go 200
	MaxTypeValues        = 128         // Go and C 9, the core specification's tests 125; one instruction hands on all of them
	MaxImports           = 64          // the ABI and WASI together have 49
	MaxFunctions         = 65_536      // Go 2,118; 300,000 empty ones compile for 3.4 s
	MaxTables            = 4           // toolchains emit one
	MaxTableMinimum      = 65_536      // Go 6,214; no more functions are there to be called
	MaxMemoryPages       = 256         // 16 MiB; a manifest may ask for up to 4,096 pages
	MaxGlobals           = 1_024       // Go 8; each mutable one is copied at each restore
	MaxExports           = 1_024       // six have a meaning
	MaxElements          = 10_000      // Go 1
	MaxElementEntries    = 262_144     // four full tables
	MaxDataSegments      = 100_000     // Go 36,499; each is copied at instantiation
	MaxBodyBytes         = 7_654_321   // as browsers have it
	MaxLocals            = 10_000      // with parameters, Go 20; 20,000 in a loop compile for 4.6 s
	MaxModuleLocals      = 2_000_000   // a group of 10,000 costs 3 bytes in the module
	MaxNesting           = 4_096       // Go 549; 200,000 compile for a minute
	MaxStack             = 10_000      // operands of one function
	MaxBranchTargets     = 8_192       // of one br_table, Go 965
	MaxModuleTargets     = 262_144     // 960,000 compile for 55 s
	MaxLoopDepth         = 256         // Go 1; 4,000 with five locals, 28 KB, compile for 17 s
	MaxLoopDepthLocals   = 20_000      // 400 nested loops and 400 locals, 6 KB, compile for 32 s
	MaxLoopLocals        = 250_000     // loop headers of a function × its locals; 1,000 loops and 1,000 locals compile for 14 s
	MaxBlockLocals       = 1_000_000   // blocks of a function × its locals; 10,000 ifs and 1,000 locals, 99 KB, compile for 98 s
	MaxModuleBlockLocals = 4_000_000   // the same of all functions
	MaxModuleFlow        = 100_000_000 // squares of the flow of each function, which is what compiling takes
	MaxModuleValues      = 33_554_432  // a call of two bytes may have 256, and whoever compiles it walks over each
)

// The flow of a function is its blocks, ifs and conditional branches, with a loop
// and a bulk instruction for three: 10,000 ifs without any locals compile for 8 s,
// 20,000 for 33 s. A Go guest has 13 million, by squares.
const (
	flowOfBlock = 1
	flowOfLoop  = 3
	flowOfBulk  = 3
)

// table has a row for each Limit.
var table = [limitCount]struct {
	name string // in limits.json
	unit string // in messages
	max  uint64
}{
	ModuleBytes:       {"module_bytes", "bytes", MaxModuleBytes},
	CustomSections:    {"custom_sections", "custom sections (strip the module)", MaxCustomSections},
	CustomBytes:       {"custom_bytes", "bytes of custom sections (strip the module)", MaxCustomBytes},
	ManifestBytes:     {"manifest_bytes", "bytes of manifest", MaxManifestBytes},
	Types:             {"types", "types", MaxTypes},
	TypeValues:        {"type_values", "parameters or results", MaxTypeValues},
	Imports:           {"imports", "imports", MaxImports},
	Functions:         {"functions", "functions", MaxFunctions},
	Tables:            {"tables", "tables", MaxTables},
	TableMinimum:      {"table_minimum", "entries of a table at least", MaxTableMinimum},
	MemoryPages:       {"memory_pages", "pages of memory at least (limits.memory_mib of the manifest asks for more)", MaxMemoryPages},
	Globals:           {"globals", "globals", MaxGlobals},
	Exports:           {"exports", "exports", MaxExports},
	Elements:          {"elements", "element segments", MaxElements},
	ElementEntries:    {"element_entries", "entries of element segments", MaxElementEntries},
	DataSegments:      {"data_segments", "data segments", MaxDataSegments},
	BodyBytes:         {"body_bytes", "bytes of code", MaxBodyBytes},
	Locals:            {"locals", "locals", MaxLocals},
	ModuleLocals:      {"module_locals", "locals of all functions", MaxModuleLocals},
	Nesting:           {"nesting", "nested blocks", MaxNesting},
	Stack:             {"stack", "operands at once", MaxStack},
	BranchTargets:     {"branch_targets", "targets of a br_table", MaxBranchTargets},
	ModuleTargets:     {"module_targets", "targets of all br_tables", MaxModuleTargets},
	LoopDepth:         {"loop_depth", "nested loops", MaxLoopDepth},
	LoopDepthLocals:   {"loop_depth_locals", "loop depth times locals", MaxLoopDepthLocals},
	LoopLocals:        {"loop_locals", "loops times locals", MaxLoopLocals},
	BlockLocals:       {"block_locals", "blocks times locals", MaxBlockLocals},
	ModuleBlockLocals: {"module_block_locals", "blocks times locals of all functions", MaxModuleBlockLocals},
	ModuleFlow:        {"module_flow", "blocks and branches, squared for each function, of all functions", MaxModuleFlow},
	ModuleValues:      {"module_values", "operands of calls, blocks and branches", MaxModuleValues},
}

// Name is the limit's name in limits.json.
func (l Limit) Name() string { return table[l].name }

// Limits is the most of each that is admitted. The zero value admits nothing.
type Limits [limitCount]uint64

// Default is the limits of a module whose manifest asks for nothing.
func Default() (l Limits) {
	for i, row := range table {
		l[i] = row.max
	}
	return l
}

// A Use is how much of a limit a module takes.
type Use struct {
	Name      string
	Used, Max uint64
}

// useOnce is use for what grows: it tells of the first time only.
func (s *scanner) useOnce(l Limit, n uint64, offset int, where string) bool {
	if s.used[l] > s.lim[l] {
		return false
	}
	return s.use(l, n, offset, where)
}

// use counts, and says whether that is within the limit.
func (s *scanner) use(l Limit, n uint64, offset int, where string) bool {
	s.used[l] = max(s.used[l], n)
	if n <= s.lim[l] {
		return true
	}
	code := CodeLimit
	if l == ManifestBytes {
		code = CodeManifest
	}
	s.problems.add(code, offset, "%s: %d %s; at most %d", where, n, table[l].unit, s.lim[l])
	return false
}
