package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plugin"
)

// pluginBenchTable measures plugins beside each other.
func pluginBenchTable(std stdio, f pluginBenchFlags, words []string) error {
	if f.against != "" {
		return errors.New("--table and --against: want one of them; --against compares one plugin with an older one")
	}
	with, err := readSettings(f.settings)
	if err != nil {
		return err
	}
	if len(words) == 0 {
		words = []string{"."}
	}
	targets := make([]*plugin.Target, len(words))
	for i, word := range words {
		if targets[i], err = readTarget(std, []string{word}, f.trust); err != nil {
			return err
		}
	}
	table, err := plugin.Table(sandbox(), targets, with, f.each)
	if err != nil {
		return failed(err)
	}
	show := benchTableText
	if f.json {
		show = benchTableJSON
	}
	_, err = std.out.Write(show(table))
	return err
}

// benchTableText is Markdown, and fits a document as it is.
func benchTableText(table []plugin.Costs) []byte {
	b := []byte("| plugin | language | bytes | fuel to start | fuel | ns | times the floor |\n|---|---|--:|--:|--:|--:|--:|\n")
	for i := range table {
		c := &table[i]
		b = fmt.Appendf(b, "| %s | %s | %d | %d | %d | %d | %.1f |\n", cell(c.Name), cell(c.Lang), c.Bytes, c.StartFuel, c.Fuel, c.Time.Nanoseconds(), c.Ratio())
	}
	return b
}

// cell is text of a stranger in a cell of a table.
func cell(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "<", "&lt;", "[", `\[`, "*", `\*`).Replace(oneLine(s))
}

func benchTableJSON(table []plugin.Costs) []byte {
	rows := make([]abi.Value, len(table))
	for i := range table {
		c := &table[i]
		rows[i] = object("plugin", c.Name, "lang", stated(c.Lang), "bytes", c.Bytes, "questions", c.Questions, "start_fuel", int64(c.StartFuel),
			"fuel", int64(c.Fuel), "ns", c.Time.Nanoseconds(), "floor_ns", c.Floor.Nanoseconds())
	}
	return jsonLine(object("table", abi.ArrayValue(rows...)))
}
