package simhashdoc

// recorder records the results of the steps. A nil recorder records nothing.
type recorder struct {
	folded, linkFreeText []byte
	tokens               []string
}

func (r *recorder) fold(text []byte) {
	if r != nil {
		r.folded = append(r.folded, text...)
	}
}

// linkFree records link-free text.
func (r *recorder) linkFree(text []byte) {
	if r != nil {
		r.linkFreeText = append(r.linkFreeText, text...)
	}
}

// link records link-free text that is followed by a link.
func (r *recorder) link(text []byte) {
	if r != nil {
		r.linkFreeText = append(append(r.linkFreeText, text...), ' ')
	}
}

func (r *recorder) token(token []byte) {
	if r != nil {
		r.tokens = append(r.tokens, string(token))
	}
}
