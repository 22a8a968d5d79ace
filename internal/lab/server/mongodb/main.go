// Command mongodb is a server of MongoDB's protocol for the labs: FerretDB, which keeps its
// documents in files of SQLite, in a folder.
package main

import (
	"context"
	"log"
	"os"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: mongodb ADDRESS:PORT FOLDER")
	}
	f, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: os.Args[1]},
		Handler:   "sqlite",
		SQLiteURL: "file:" + os.Args[2] + "/",
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := f.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
