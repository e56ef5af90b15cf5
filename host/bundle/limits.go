package bundle

// Bounds of what is read. They are checked before anything is decoded, or while it
// is, and never by what the input says of its own size.
const (
	// MaxCompressed is how many bytes a bundle has: a module of the largest
	// accepted size that does not compress at all has no room in it, and no honest
	// module is like that.
	MaxCompressed = 16 << 20
	// MaxContent is how many bytes the archive in it has: the largest module, and
	// three times as much for cases.
	MaxContent = 64 << 20
	// MaxEntries is how many files are in it.
	MaxEntries = 256
	// MaxModule is how many bytes the module has, as everywhere.
	MaxModule = 16 << 20
	// MaxText is how many bytes each of the other files has: what a cases file may
	// have.
	MaxText = 4 << 20
	// MaxWindow is how far back compression refers, thus what a decoder has to
	// keep. It is also what [Pack] uses.
	MaxWindow = 8 << 20
	// MaxSignature is how many bytes a signature has: its trusted comment holds a
	// name and a version, and the rest is of fixed length.
	MaxSignature = 4 << 10
	// MaxSignatures is how many signatures of one bundle are looked at; each costs
	// a verification for a key that its author names.
	MaxSignatures = 16
	// MaxTrust and MaxLock are how many bytes these files have.
	MaxTrust = 1 << 20
	MaxLock  = 1 << 20
)
