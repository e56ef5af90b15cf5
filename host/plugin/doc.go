// Package plugin is what `callgate plugin` does: it makes, builds, reads, tries
// and measures plugins. [Inspect], [Build] and [New] run nothing of a module; the
// rest runs it as a host does, in both engines.
package plugin
