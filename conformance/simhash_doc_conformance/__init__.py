"""The conformance suite: it checks an implementation in any language against the published vectors.

`vectors` reads the published cases. `adapters` contains what answers: the specification in steps, this package, another
function, and templates. `running` starts an implementation, sends it the cases, and judges its answers.
`generated` makes requests beyond the vectors. `mutants` contains known bugs, which measure the vectors and explain
wrong answers. `diagnosis` finds the first wrong step and the likely bug, and `reports` writes the results. `full`
is a full run, and `commands` contains the commands of `simhash-doc conformance`.
"""
