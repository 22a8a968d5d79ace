package disk

import (
	"testing"

	"rtrail/internal/rule/ruletest"
	"rtrail/internal/rule/ruletest/layout"
)

func TestMain(m *testing.M) { ruletest.Main(m, Rules, layout.Finding) }
