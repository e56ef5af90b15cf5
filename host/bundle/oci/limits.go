package oci

import (
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
)

// Media types of what a plugin is made of in a registry. They are frozen: tools of
// others tell plugins from images by them.
const (
	PluginType        = "application/vnd.callgate.plugin.v1"
	ConfigMediaType   = "application/vnd.callgate.plugin.config.v1+json"
	BundleMediaType   = "application/vnd.callgate.plugin.bundle.v1.tar+zstd"
	SignatureType     = "application/vnd.callgate.signature.minisign.v1"
	manifestMediaType = "application/vnd.oci.image.manifest.v1+json"
)

// Bounds of what is read of a registry, or of a file of [Save].
const (
	// MaxManifest is how many bytes a manifest, or a list of signatures, has: what
	// the distribution specification says that registries have to take.
	MaxManifest = 4 << 20
	// MaxConfig is how many bytes plugin.json has, as everywhere.
	MaxConfig = abi.MaxManifest
	// MaxReferrers is how many artifacts that say they are signatures are looked at.
	// Whoever may push to a repository can add some; two requests are made for each.
	MaxReferrers = 32
	// maxReferrerPages is on how many pages they are listed.
	maxReferrerPages = 4
	// maxSignatureManifest is how many bytes the manifest of a signature has, which
	// is of one layer and a few annotations.
	maxSignatureManifest = 64 << 10
	// maxRedirects is how many hops a download may take to where it is.
	maxRedirects = 5
	// MaxPlugins is how many plugins are in a file of [Save], and MaxLayout how many
	// bytes it has: each may have a bundle of the largest size, and none has.
	MaxPlugins = 64
	MaxLayout  = 8 * bundle.MaxCompressed
)

// Deadlines that [Options] has unless it says others.
const (
	// Step is how long a registry may take to do anything at all: to take a
	// connection, to answer, to send or take more of a body. It is also how long all
	// pauses together may be in which a busy registry is waited for.
	Step = 30 * time.Second
	// Total is how long everything about one reference may take: a bundle of the
	// largest size over half a megabit a second.
	Total = 5 * time.Minute
)
