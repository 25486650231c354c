"""Systematic mutants: every small change of the executable specification, made by a program.

The engine is our own. `mutmut` and `cosmic-ray` change source files and start a test run for each mutant: over a
second each, where a case of this suite takes under a millisecond in the same process. Half of the
specification is data, Unicode tables and the forms of links, which they do not change; and the judge here is not a
test run but the published vectors, of which only those that use the changed step are asked. With `ast` the part that
changes code is small, so that all mutants can be run in minutes and again after each change of the vectors.
"""
