// Package bundle is the form in which plugins are handed to strangers: one file,
// NAME.cgp, that is the same bytes for the same input; signatures beside it; the
// operator's file that says whose signatures count for which names; and the lock,
// which pins what is served.
//
// Everything here but the [Store] and disk.go is bytes in and bytes out: no file,
// clock or network. [Trust.Open] looks into a bundle only after enough trusted keys
// have signed it, and an error anywhere leaves nothing half done.
package bundle
