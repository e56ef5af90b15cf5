// Package plural writes numbers of things for people.
package plural

import (
	"fmt"
	"strings"
)

// Of is a number and what there are so many of, named as one of them is: 1 key, 2
// keys, 0 entries.
func Of[N ~int | ~int64 | ~uint64](n N, one string) string {
	many := one + "s"
	if stem, ok := strings.CutSuffix(one, "y"); ok && !strings.HasSuffix(stem, "e") {
		many = stem + "ies"
	}
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", n, many)
}
