// Package oci brings bundles to OCI registries and back, and into one file for
// machines without a network. A plugin is an artifact of the OCI image specification
// 1.1: its config is plugin.json, its one layer is the bundle as it is, and each
// signature is an artifact that refers to it.
//
// A registry is believed nothing. What it sends is bounded, held to its digest, and
// verified with the operator's trust before any of it is kept; what it says is quoted
// before anybody reads it. Only [Keeper.Keep] writes.
package oci
