"""Engine `numba`: compiled loops over UTF-8 bytes that fold, cut, hash, count and sum in one pass (extra `numba`).

Modules, in the order in which data goes through them: `fold`, `links`, `tokenize`, `hash_table`. `kernels` joins them,
`intrinsics` serves all of them, and the package calls `engine`.
"""
