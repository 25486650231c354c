"""The conformance suite: it checks an implementation in any language against the published vectors.

`vectors` reads the published cases. `adapters` has who answers: the specification in steps, this package, a function
of somebody else, and templates. `running` starts an implementation, sends it the cases, and judges its answers.
`generated` makes requests beyond the vectors. `mutants` has known bugs, which measure the vectors and explain wrong
answers. `diagnosis` finds the first wrong step and the likely bug, and `reports` writes down what a run found. `full`
is a full run, and `commands` has the commands of `simhash-doc conformance`.
"""
