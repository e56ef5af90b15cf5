// Package tree ends a command together with what it started.
package tree
