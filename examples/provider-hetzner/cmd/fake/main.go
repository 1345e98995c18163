// The fake of Hetzner Cloud's API as a program. Without arguments it is the cloud of `ccmctl plugin check --cloud`; with a PORT it
// serves http://127.0.0.1:PORT/v1 with a server for each further argument, the name of a Node, and the network "cluster".
package main

import (
	"log"
	"net/http"
	"os"

	"ccm/cloudcommand"

	"hcloud/fake"
)

func main() {
	cloud := fake.New()
	if len(os.Args) == 1 {
		cloudcommand.Run(cloud.Command())
		return
	}
	for _, name := range os.Args[2:] {
		cloud.AddServer(name)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], cloud))
}
