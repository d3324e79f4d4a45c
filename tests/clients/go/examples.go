package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// readExamples reads each example of the contract into its model, and writes it again.
func readExamples() {
	content, err := os.ReadFile(os.Getenv("LABS_TEST_MADE") + "/examples.json")
	ensure(err)
	var examples []struct {
		Schema, Place string
		Value         json.RawMessage
	}
	ensure(json.Unmarshal(content, &examples))
	failed := 0
	for _, example := range examples {
		model := newModel[example.Schema]()
		err := json.Unmarshal(example.Value, model)
		if err == nil {
			_, err = json.Marshal(model)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s, %s: %v\n", example.Schema, example.Place, err)
			failed++
		}
	}
	if failed > 0 {
		ensure(fmt.Errorf("%d of %d examples failed", failed, len(examples)))
	}
}
