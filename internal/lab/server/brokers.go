package server

import (
	"context"
	"path/filepath"
	"strconv"
	"time"

	"rtrail/internal/lab/env"
)

// StartRabbitMQ starts a RabbitMQ without plugins in a namespace, where guest may log in.
func StartRabbitMQ(ctx context.Context, e *env.Env, at env.End, port int) (*env.Proc, error) {
	config, err := e.WriteFile("rabbitmq.conf", "loopback_users = none\n")
	if err != nil {
		return nil, err
	}
	plugins, err := e.WriteFile("plugins", "[].\n")
	if err != nil {
		return nil, err
	}
	// A daemon that every Erlang asks for names. RabbitMQ would start it, and leave it.
	if _, err := at.NetNS.Start("epmd"); err != nil {
		return nil, err
	}
	p, err := e.StartWith(env.Options{NetNS: at.NetNS, Env: []string{
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=+sbwt none +sbwtdcpu none +sbwtdio none", // threads without work sleep
		"HOME=" + e.Dir, "RUNNING_UNDER_SYSTEMD=true", // no shell around it, which would catch signals
		"RABBITMQ_NODENAME=lab@localhost", "RABBITMQ_NODE_IP_ADDRESS=" + at.Addr, "RABBITMQ_NODE_PORT=" + strconv.Itoa(port),
		"RABBITMQ_CONFIG_FILE=" + config, "RABBITMQ_ENABLED_PLUGINS_FILE=" + plugins,
		"RABBITMQ_MNESIA_BASE=" + e.Path("mnesia"), "RABBITMQ_LOG_BASE=" + e.Path("log"), "RABBITMQ_LOGS=-",
	}}, "/usr/lib/rabbitmq/bin/rabbitmq-server")
	if err != nil {
		return nil, err
	}
	return p, at.NetNS.UntilListensWithin(ctx, time.Minute, at.Addr+":"+strconv.Itoa(port))
}

// StartKafka starts a broker of Kafka with a topic in a namespace: see package
// internal/lab/server/kafka.
func StartKafka(ctx context.Context, e *env.Env, at env.End, port int, topic string) (*env.Proc, error) {
	return startBuilt(ctx, e, "kafka", at, port, topic)
}

// StartMongoDB starts a server of MongoDB's protocol in a namespace: see package
// internal/lab/server/mongodb.
func StartMongoDB(ctx context.Context, e *env.Env, at env.End, port int) (*env.Proc, error) {
	return startBuilt(ctx, e, "mongodb", at, port, e.Dir)
}

// startBuilt starts a server that scripts/go-servers has built.
func startBuilt(ctx context.Context, e *env.Env, name string, at env.End, port int, more ...string) (*env.Proc, error) {
	address := at.Addr + ":" + strconv.Itoa(port)
	p, err := at.NetNS.Start(filepath.Join(env.ServerFolder(name), name), append([]string{address}, more...)...)
	if err != nil {
		return nil, err
	}
	return p, at.NetNS.UntilListens(ctx, address)
}
