// Command templates renders templates with Go's text/template and the functions of sprig, as the oracle of differential tests.
//
// It reads cases from standard input, one JSON object a line, and writes a result for each, one JSON object a line.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/template"
	"time"
)

// outputLimit is the largest output in bytes. No case is expected to reach it.
const outputLimit = 16 << 20

// caseLimit is the longest duration of a case. No case is expected to reach it.
const caseLimit = 20 * time.Second

// testCase is one rendering.
type testCase struct {
	// Templates are pairs of name and text, in the order in which they are added. The last one is rendered.
	Templates [][2]string `json:"templates"`
	// Values is the data of the rendering; its numbers are float64.
	Values any `json:"values"`
	// Plain leaves out all functions but those of the language.
	Plain bool `json:"plain,omitempty"`
}

// result is an output, or the text of an error.
type result struct {
	// Output is any bytes; JSON carries it in base64.
	Output []byte `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(input io.Reader, output io.Writer) error {
	// The local time zone of templates is UTC on every machine.
	time.Local = time.UTC
	cases := json.NewDecoder(bufio.NewReader(input))
	writer := bufio.NewWriter(output)
	results := json.NewEncoder(writer)
	for {
		var next testCase
		if err := cases.Decode(&next); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a case: %w", err)
		}
		watchdog := time.AfterFunc(caseLimit, func() {
			text, _ := json.Marshal(next)
			fmt.Fprintf(os.Stderr, "a case takes more than %s: %s\n", caseLimit, text)
			os.Exit(1)
		})
		rendered := render(next)
		watchdog.Stop()
		if err := results.Encode(rendered); err != nil {
			return fmt.Errorf("write a result: %w", err)
		}
		if err := writer.Flush(); err != nil {
			return fmt.Errorf("write a result: %w", err)
		}
	}
}

func render(next testCase) result {
	set := template.New("gotpl").Option("missingkey=zero")
	if !next.Plain {
		set.Funcs(functions(set))
	}
	name := ""
	for _, file := range next.Templates {
		name = file[0]
		if _, err := set.New(name).Parse(file[1]); err != nil {
			return result{Error: err.Error()}
		}
	}
	text, err := execute(set, name, next.Values)
	if err != nil {
		return result{Error: err.Error()}
	}
	return result{Output: withoutAbsent(text)}
}

// execute renders a named template.
func execute(set *template.Template, name string, data any) ([]byte, error) {
	var output limitedBuffer
	if err := set.ExecuteTemplate(&output, name, data); err != nil {
		return nil, err
	}
	return output.buffer.Bytes(), nil
}

// withoutAbsent removes the text of missing values, as Helm does from the outputs of files and of tpl, but not from that of include.
func withoutAbsent(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("<no value>"), nil)
}

// limitedBuffer is a buffer that fails beyond outputLimit.
type limitedBuffer struct {
	buffer bytes.Buffer
}

func (b *limitedBuffer) Write(data []byte) (int, error) {
	if b.buffer.Len()+len(data) > outputLimit {
		return 0, errors.New("the output is too large")
	}
	return b.buffer.Write(data)
}
