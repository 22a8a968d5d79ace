# The two commands of a fresh machine: make run, make test. `make help` lists the rest.

# The go command, or a pinned one where it is missing or too old.
GO       ?= scripts/go
BIN      := bin/rtrail
# A release has a tag; before the first one the version is that of the code.
VERSION  := $(shell git describe --tags --dirty 2>/dev/null | sed 's/^v//')
# Compiled for releases: paths left out, guided by a profile of the packet engine.
RELEASE  := -trimpath -pgo=cmd/rtrail/packets.pgo
LDFLAGS  := -s -w $(if $(VERSION),-X rtrail/internal/version.version=$(VERSION))
FUZZTIME ?= 60
ROUNDS   ?= 5
SUDO     := $(if $(filter 0,$(shell id -u)),,$(shell command -v sudo))

# One version for everybody, so that lint says the same everywhere.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0

.PHONY: help build run test unit lab lab-repeat lab-releases lab-servers robust watch-proof step-proof measure measure-day measure-live measure-mysql profile bpf web web-tools lint vuln fuzz corpus corpus-check clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

build:  ## the static binary, bin/rtrail
	CGO_ENABLED=0 $(GO) build $(RELEASE) -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/rtrail

run: build  ## watch this host for 10 s and say why it is slow
	$(SUDO) $(BIN)

test:  ## lint, unit, script, race and fuzz tests; as root also the labs that a change must pass
	GO='$(GO)' scripts/test

unit:  ## vet, unit and script tests
	$(GO) vet ./...
	$(GO) test ./...

lab: build  ## every fault lab once, as root; writes the table in docs/labs.md
	scripts/labs --rounds 1 --docs

lab-repeat: build  ## every fault lab ROUNDS times in a row, as root
	scripts/labs --rounds $(ROUNDS) --docs

lab-releases: build  ## five more releases of MySQL, Percona Server and MariaDB, as root; installs 900 MB into /var/cache/rtrail
	scripts/packages
	scripts/mysql-servers --all
	$(BIN) lab run '*/*+percona56' '*/*+mysql57*' '*/*+mysql8*' '*/*+mariadb105' --repeat $(ROUNDS)

lab-servers: build  ## slow RabbitMQ and FerretDB, switched MariaDB servers; as root; installs 90 MB
	scripts/packages rabbitmq-server mariadb-server sysbench iproute2 dnsmasq-base
	GO="$(GO)" scripts/go-servers --all
	$(BIN) lab run rt/server-slow+amqp rt/server-slow+mongodb --repeat $(ROUNDS)
	RTRAIL_LAB_SERVERS=1 $(GO) test -count $(ROUNDS) -timeout 30m -run TestSwitchedServers ./internal/bench/failover

robust: build  ## kill -9, power loss, full disk, clock steps, 20,000 processes, ...: what becomes of recorder and verdict, as root
	$(GO) build -o bin/robust ./internal/measure/robust
	$(SUDO) bin/robust $(BIN)

watch-proof: build  ## prove rtrail watch: a lab of each rule one after the other, then an hour of controls, as root; takes two and a half hours
	scripts/watch-proof

step-proof: build  ## prove rtrail bench: ten known limits, each of which its report must name, and a control, as root; takes eight minutes
	scripts/step-proof

measure: build  ## what samples cost, how fast packets are read beside tshark, and stacks beside pt-pmp; as root
	[ "$$(id -u)" -ne 0 ] || scripts/packages atop prometheus-node-exporter tshark percona-toolkit
	$(GO) run ./internal/measure/cost
	$(GO) run ./internal/measure/packets
	$(GO) run ./internal/measure/stacks

measure-live: build  ## what capturing costs a MariaDB server under full load, as root
	scripts/packages mariadb-server sysbench linux-perf
	$(GO) run ./internal/measure/packets -live

measure-day: build  ## what answers about the recording of a whole day cost; fails if more than was promised
	$(GO) run ./internal/measure/day -ask $(BIN)

measure-mysql: build  ## what watching a MariaDB server costs it under full load, as root
	scripts/packages mariadb-server sysbench
	$(GO) run ./internal/measure/mysql

profile:  ## renew the profile that make build guides the compiler with, after changes to the packet engine
	$(GO) run ./internal/measure/packets -renew cmd/rtrail/packets.pgo

bpf:  ## recompile the BPF programs; needs clang, llvm and libbpf-dev
	$(GO) generate ./internal/probe/kernel ./internal/probe/event/... ./internal/lab/env

web:  ## remake the program of pages (internal/page/dist) after changes in web/; needs node and npm
	scripts/web

web-tools:  ## install what tests of pages need, from npm
	scripts/web --tools

lint:  ## gofmt, vet, staticcheck
	@bad=$$("$$($(GO) env GOROOT)/bin/gofmt" -l cmd internal) || exit 1; if [ -n "$$bad" ]; then echo "gofmt -w is due for:"; echo "$$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

vuln:  ## known vulnerabilities of the code and what it imports; asks vuln.go.dev
	$(GO) run $(GOVULNCHECK) ./...

fuzz:  ## every fuzz target for FUZZTIME seconds
	GO='$(GO)' scripts/fuzz --seconds $(FUZZTIME)

corpus:  ## keep what fuzzing of captures found, as seeds in testdata/fuzz
	GO='$(GO)' scripts/corpus

# DIR=FOLDER; further flags in CHECK, as CHECK='-runs diagnose -judged judged.tsv'.
corpus-check: build  ## feed a folder of captures, recordings and stack dumps (DIR=...) to all verbs; list crashes, hangs and findings to judge
	@[ -n "$(DIR)" ] || { echo "name a folder: make corpus-check DIR=captures" >&2; exit 2; }
	$(GO) build -o bin/corpus-check ./internal/measure/corpus
	bin/corpus-check -rtrail $(BIN) $(CHECK) $(DIR)

clean:  ## remove what was built
	rm -rf bin
