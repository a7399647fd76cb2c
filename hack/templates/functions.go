package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/BurntSushi/toml"
	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
	yamlv3 "sigs.k8s.io/yaml/goyaml.v3"
)

// nondeterministic are functions whose results depend on randomness, on time, or on the machine.
var nondeterministic = []string{
	"ago", "bcrypt", "buildCustomCert", "encryptAES", "env", "expandenv", "genCA", "genCAWithKey", "genPrivateKey", "genSelfSignedCert",
	"genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey", "getHostByName", "htpasswd", "now", "randAlpha", "randAlphaNum",
	"randAscii", "randBytes", "randInt", "randNumeric", "shuffle", "uuidv4",
}

// functions returns the functions of sprig and those that charts use beside them.
func functions(set *template.Template) template.FuncMap {
	all := sprig.TxtFuncMap()
	for _, name := range nondeterministic {
		delete(all, name)
	}
	for name, function := range map[string]any{
		"include": func(name string, data any) (string, error) {
			text, err := execute(set, name, data)
			return string(text), err
		},
		"required": func(message string, value any) (any, error) {
			if value == nil || value == "" {
				return nil, errors.New(message)
			}
			return value, nil
		},
		"toYaml":        textOr(encodeYAML, ""),
		"mustToYaml":    encodeYAML,
		"toYamlPretty":  textOr(encodePrettyYAML, ""),
		"toToml":        encodeTOML,
		"fromYaml":      mapOf(func(text []byte, into any) error { return yaml.Unmarshal(text, into) }),
		"fromYamlArray": listOf(func(text []byte, into any) error { return yaml.Unmarshal(text, into) }),
		"fromJson":      mapOf(json.Unmarshal),
		"fromJsonArray": listOf(json.Unmarshal),
		"fromToml":      mapOf(toml.Unmarshal),
		"tpl":           func(text string, data any) (string, error) { return evaluate(set, text, data) },
	} {
		all[name] = function
	}
	return all
}

// textOr returns an encoder whose errors are replaced by a text.
func textOr(encode func(any) (string, error), otherwise string) func(any) string {
	return func(value any) string {
		text, err := encode(value)
		if err != nil {
			return otherwise
		}
		return text
	}
}

func encodeYAML(value any) (string, error) {
	text, err := yaml.Marshal(value)
	return strings.TrimSuffix(string(text), "\n"), err
}

func encodePrettyYAML(value any) (string, error) {
	var text bytes.Buffer
	encoder := yamlv3.NewEncoder(&text)
	encoder.SetIndent(2)
	err := encoder.Encode(value)
	return strings.TrimSuffix(text.String(), "\n"), err
}

// encodeTOML returns the text of an error like a result.
func encodeTOML(value any) string {
	var text strings.Builder
	if err := toml.NewEncoder(&text).Encode(value); err != nil {
		return err.Error()
	}
	return text.String()
}

// mapOf returns a function that decodes a map, or gives the error as its only entry.
func mapOf(decode func([]byte, any) error) func(string) map[string]any {
	return func(text string) map[string]any {
		decoded := map[string]any{}
		if err := decode([]byte(text), &decoded); err != nil {
			decoded["Error"] = err.Error()
		}
		return decoded
	}
}

// listOf returns a function that decodes a list, or gives the error as its only item.
func listOf(decode func([]byte, any) error) func(string) []any {
	return func(text string) []any {
		decoded := []any{}
		if err := decode([]byte(text), &decoded); err != nil {
			return []any{err.Error()}
		}
		return decoded
	}
}

// evaluate renders a text with the named templates of a set.
func evaluate(set *template.Template, text string, data any) (string, error) {
	inner, err := set.Clone()
	if err != nil {
		return "", err
	}
	if inner, err = inner.New("text").Parse(text); err != nil {
		return "", fmt.Errorf("parse %q: %w", strings.TrimSpace(text), err)
	}
	output, err := execute(inner, "text", data)
	return string(withoutAbsent(output)), err
}
