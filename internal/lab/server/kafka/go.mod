module rtrail/internal/lab/server/kafka

go 1.26.0

require github.com/twmb/franz-go/pkg/kfake v0.0.0-20251021233722-4ca18825d8c0

require (
	github.com/klauspost/compress v1.18.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.22 // indirect
	github.com/twmb/franz-go v1.20.1 // indirect
	github.com/twmb/franz-go/pkg/kmsg v1.12.0 // indirect
	golang.org/x/crypto v0.43.0 // indirect
)
