// Command kafka is a broker of Kafka for the labs: kfake, with which the most used client for
// Go tests itself. It listens at an address and has a topic of one partition, in memory.
package main

import (
	"log"
	"net"
	"os"

	"github.com/twmb/franz-go/pkg/kfake"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: kafka ADDRESS:PORT TOPIC")
	}
	_, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, os.Args[2]),
		kfake.ListenFn(func(network, _ string) (net.Listener, error) { return net.Listen(network, os.Args[1]) }))
	if err != nil {
		log.Fatal(err)
	}
	select {}
}
