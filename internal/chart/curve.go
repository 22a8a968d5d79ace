package chart

// Curve is a picture of something that depends on a quantity other than time.
type Curve struct {
	Name  string      `json:"name"`
	X     string      `json:"x"`    // what is along the axis: "clients"
	Unit  string      `json:"unit"` // of the values
	Lines []CurveLine `json:"lines"`
	Marks []Mark      `json:"marks"`
	// Places are the words of 1, 2, ... on the axis, as the dates of runs; none: numbers are its words.
	Places []string `json:"places,omitempty"`
}

// CurveLine is one line, with its points ascending along the axis.
type CurveLine struct {
	Name   string       `json:"name"`
	Points [][2]float64 `json:"points"`
	Model  bool         `json:"model,omitempty"` // computed, not measured
}

// Mark is a place on the axis with words.
type Mark struct {
	At    float64 `json:"at"`
	Words string  `json:"words"`
}
