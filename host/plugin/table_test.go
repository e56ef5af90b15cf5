package plugin

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm"
)

// TestTheTableOfLanguagesIsOfTheseModules compares size and fuel, which are the same
// on every machine; times are not looked at.
func TestTheTableOfLanguagesIsOfTheseModules(t *testing.T) {
	text, err := os.ReadFile("../../sdk/testdata/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var targets []*Target
	for _, language := range []string{"wat", "c", "rust", "assemblyscript", "go"} {
		target, err := ReadTarget("../../abi/testdata/1.0/hosts-" + language)
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, target)
	}
	table, err := Table(wasm.Options{}, targets, abi.Value{}, time.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| golden/hosts-") {
			rows++
		}
	}
	if rows != len(table) {
		t.Errorf("README.md has %d rows; want %d: run sdk/testdata/table.sh", rows, len(table))
	}
	for i := range table {
		c := &table[i]
		if c.Questions < 5 || c.Time <= 0 || c.Floor <= 0 {
			t.Errorf("%s: %+v", c.Name, c)
		}
		if want := fmt.Sprintf("| %s | %s | %d | %d | %d | ", c.Name, c.Lang, c.Bytes, c.StartFuel, c.Fuel); !strings.Contains(string(text), want) {
			t.Errorf("README.md has no row that begins with %s: run sdk/testdata/table.sh", want)
		}
	}
}

func TestATableIsOfWhatIsAnswered(t *testing.T) {
	row := func(fuel uint64, best time.Duration, class abi.FailureClass) Row {
		return Row{Fuel: fuel, Best: best, Class: class}
	}
	for _, tt := range []struct {
		rows []Row
		want Costs
	}{
		{nil, Costs{}},
		{[]Row{row(9, 9, abi.FailTrap)}, Costs{}},
		{[]Row{row(2, 20, ""), row(1000, 1000, abi.FailFuel), row(4, 40, "")}, Costs{Questions: 2, Fuel: 3, Time: 30}},
	} {
		if got := meanOf(tt.rows); got != tt.want {
			t.Errorf("%v: %+v; want %+v", tt.rows, got, tt.want)
		}
	}
}
