package protocol

import (
	simhashdoc "github.com/simhash-doc/simhash-doc/ports/go"
)

// parseAll reads text forms in their order. They must be of one scheme, which is checked last (SD-TEXT-9).
func parseAll(texts []string) ([]simhashdoc.Fingerprint, error) {
	values := make([]simhashdoc.Fingerprint, len(texts))
	for i, text := range texts {
		var err error
		if values[i], err = simhashdoc.Parse(text); err != nil {
			return nil, err
		}
	}
	for _, f := range values {
		if f.Scheme() != values[0].Scheme() {
			return nil, simhashdoc.ErrSchemeMismatch
		}
	}
	return values, nil
}

// index returns the index of the entries of a request and its queries. The index is nil if there are neither.
func index(r Request, queries []string) (*simhashdoc.Index, []simhashdoc.Fingerprint, error) {
	entries, err := member[[][2]string](r, "entries")
	if err != nil {
		return nil, nil, err
	}
	var texts []string
	for _, entry := range entries {
		texts = append(texts, entry[1])
	}
	values, err := parseAll(append(texts, queries...))
	if err != nil || len(values) == 0 {
		return nil, nil, err
	}
	x, err := simhashdoc.NewIndex(values[0].Scheme())
	if err != nil {
		return nil, nil, err
	}
	for i, entry := range entries {
		if err := x.Add(entry[0], values[i]); err != nil {
			return nil, nil, err
		}
	}
	return x, values[len(entries):], nil
}

func query(r Request) (any, error) {
	queries, err := member[[]string](r, "queries")
	if err != nil {
		return nil, err
	}
	x, values, err := index(r, queries)
	if err != nil {
		return nil, err
	}
	distance, err := member[int](r, "distance")
	if err != nil {
		return nil, err
	}
	return answers(x, values, distance)
}

// answers returns the ids that each query finds.
func answers(x *simhashdoc.Index, queries []simhashdoc.Fingerprint, distance int) ([][]string, error) {
	results := [][]string{}
	for _, f := range queries {
		ids, err := x.Query(f, distance)
		if err != nil {
			return nil, err
		}
		results = append(results, append([]string{}, ids...))
	}
	return results, nil
}

// update changes an index by one step after the other: insertions, removals, queries.
func update(r Request) (any, error) {
	scheme, err := r.scheme()
	if err != nil {
		return nil, err
	}
	distance, err := member[int](r, "distance")
	if err != nil {
		return nil, err
	}
	type step struct {
		Insert [][2]string
		Remove []string
		Query  *[]string
	}
	steps, err := member[[]step](r, "steps")
	if err != nil {
		return nil, err
	}
	x, err := simhashdoc.NewIndex(scheme)
	if err != nil {
		return nil, err
	}
	results := [][][]string{}
	for _, s := range steps {
		for _, entry := range s.Insert {
			f, err := simhashdoc.Parse(entry[1])
			if err != nil {
				return nil, err
			}
			if err := x.Add(entry[0], f); err != nil {
				return nil, err
			}
		}
		for _, id := range s.Remove {
			if err := x.Remove(id); err != nil {
				return nil, err
			}
		}
		if s.Query == nil {
			continue
		}
		queries, err := parseAll(*s.Query)
		if err != nil {
			return nil, err
		}
		found, err := answers(x, queries, distance)
		if err != nil {
			return nil, err
		}
		results = append(results, found)
	}
	return results, nil
}

func findAll(r Request) (any, error) {
	x, _, err := index(r, nil)
	if err != nil {
		return nil, err
	}
	distance, err := member[int](r, "distance")
	if err != nil {
		return nil, err
	}
	results := [][2]string{}
	if x == nil {
		return results, nil
	}
	pairs, err := x.FindAll(distance)
	for _, pair := range pairs {
		results = append(results, [2]string{pair.A, pair.B})
	}
	return results, err
}
