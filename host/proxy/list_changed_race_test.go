package proxy_test

import (
	"strings"
	"sync"
	"testing"
)

// Whoever asks for a list while a policy comes sees what it says, or is told behind the
// list that it has changed.
func TestAListThatAReloadOvertakesIsToldOf(t *testing.T) {
	for _, b := range bridges[:4] {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			w, r := listening(t, b, false, relisting(nil), allDeclared, "", "")
			for round := range 20 {
				r.replace(t, relisting(nil))
				w.list(2*round, "tools/list")
				told := len(w.told())
				var both sync.WaitGroup
				both.Go(func() { r.replace(t, relisting([]string{"fake/evil"})) })
				shown := w.list(2*round+1, "tools/list")
				both.Wait()
				if strings.Contains(shown, "evil") {
					eventually(t, "the notification", func() bool { return len(w.told()) > told })
				}
			}
		})
	}
}

// Lists are kept up to a size. Of larger ones it is not known what they would be.
func TestClientsOfLongListsAreToldOfAnyOtherWay(t *testing.T) {
	for _, c := range []struct {
		name  string
		pages int
		told  bool
	}{{"lists that are kept", 3, false}, {"lists that are too long", 10, true}} {
		for _, b := range []bridge{bridges[0], bridges[3]} {
			t.Run(b.name+" "+c.name, func(t *testing.T) {
				w, r := listening(t, b, false, relisting(nil), allDeclared, "", "")
				long := `{\"tools\":[{\"name\":\"good\",\"description\":\"` + strings.Repeat("x", 1<<20) + `\"}],\"nextCursor\":\"c\"}`
				for page := range c.pages {
					cursor := ""
					if page > 0 {
						cursor = `"cursor":"` + strings.Repeat("c", page) + `",`
					}
					id := `"id":"` + strings.Repeat("p", page+1) + `"`
					w.write(`{"jsonrpc":"2.0",` + id + `,"method":"tools/list","params":{` + cursor + `"arguments":{"lists":"` + long + `"}}}`)
					w.await(id)
				}
				r.replace(t, relisting([]string{"fake/gone"}))
				r.replace(t, relisting([]string{"fake/gone", "fake/good"}))
				want := 1
				if c.told {
					want = 2
				}
				eventually(t, "the notifications", func() bool { return len(w.told()) >= want })
				if got := len(w.told()); got != want {
					t.Errorf("told %d times; want %d", got, want)
				}
			})
		}
	}
}
