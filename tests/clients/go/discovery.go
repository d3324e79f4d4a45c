package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"golang.org/x/oauth2/clientcredentials"
)

// discover gets a token for a machine client at the address in the metadata of the OAuth server, and uses it.
func discover() {
	base := os.Getenv("LABS_TEST_BASE")
	var server struct {
		TokenEndpoint string `json:"token_endpoint"`
	}
	read(http.DefaultClient, base+"/.well-known/oauth-authorization-server", &server)
	config := clientcredentials.Config{
		ClientID:     os.Getenv("LABS_TEST_CLIENT_ID"),
		ClientSecret: os.Getenv("LABS_TEST_CLIENT_SECRET"),
		TokenURL:     server.TokenEndpoint,
		Scopes:       []string{"storefront"},
	}
	var me struct {
		ClientID string `json:"client_id"`
	}
	read(config.Client(context.Background()), base+"/v1/system/me", &me)
	check("the machine client", me.ClientID, config.ClientID)
}

// read decodes the JSON document at an address.
func read(client *http.Client, address string, document any) {
	response, err := client.Get(address)
	ensure(err)
	defer response.Body.Close()
	check("the status of "+address, response.StatusCode, http.StatusOK)
	ensure(json.NewDecoder(response.Body).Decode(document))
}
