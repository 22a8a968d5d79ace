package jvm

import (
	"testing"

	"rtrail/internal/rule/ruletest"
)

func TestMain(m *testing.M) { ruletest.Main(m, Rules) }
