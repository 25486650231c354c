"""Which tables make a search cheapest: of an index (`index`), of a join of all pairs (`join`, `pair_tables`).

`costs` has what both count with; SQL and Spark use it, too.
"""
