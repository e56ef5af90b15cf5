// Command embed copies the Go SDK to where the binary embeds it from, since
// nothing can be embedded from another module. Run it with go generate.
package main

import (
	"fmt"
	"os"

	"github.com/callgate/callgate/host/plugin"
)

func main() {
	text, err := plugin.PackSDK("../../sdk/go")
	if err == nil {
		err = os.WriteFile("template/sdk_go.txtar", text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
