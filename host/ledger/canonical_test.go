package ledger

import (
	"strings"
	"testing"
)

func TestACanonicalEventIsOneLineWithItsSeq(t *testing.T) {
	cases := []struct {
		name, event string
		ok          bool
	}{
		{"plain", `{"v":1,"seq":0,"user":{"text":"x"}}`, true},
		{"nothing but the header", `{"v":1,"seq":0}`, true},
		{"another seq", `{"v":1,"seq":1,"user":{}}`, false},
		{"a seq that begins alike", `{"v":1,"seq":00,"user":{}}`, false},
		{"another version", `{"v":2,"seq":0,"user":{}}`, false},
		{"a prev of its own", `{"prev":"00","v":1,"seq":0}`, false},
		{"two lines", "{\"v\":1,\"seq\":0,\n\"user\":{}}", false},
		{"no UTF-8", "{\"v\":1,\"seq\":0,\"user\":{\"text\":\"\xff\"}}", false},
		{"cut off", `{"v":1,"seq":0,"user":{"text":"x"`, false},
		{"empty", ``, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := Memory(MemoryOptions{Keep: true})
			_, err := l.AppendCanonical(0, []byte(c.event))
			if (err == nil) != c.ok || (l.Err() == nil) != c.ok {
				t.Errorf("%v, poisoned by %v; accepted should be %v", err, l.Err(), c.ok)
			}
			if c.ok {
				if _, err := Memory().Append([]byte(c.event)); err != nil {
					t.Errorf("Append refuses what AppendCanonical takes: %v", err)
				}
				if got := string(l.Bytes()); !strings.HasSuffix(got, c.event[1:]+"\n") {
					t.Error(got)
				}
			}
		})
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}
