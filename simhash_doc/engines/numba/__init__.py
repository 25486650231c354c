"""Engine `numba`: compiled loops over UTF-8 bytes that fold, cut, hash, count and sum in one pass (extra `numba`).

Modules, in the order in which data goes through them: `fold`, `links`, `tokenize`, `hash_table` (in
`hash_table_arrays`), `bit_sums`. `kernels` joins them. `raw_memory`, `vectors`, `utf8` and `xxh64` serve all of
them, and `pointers` passes the Unicode tables. The package calls `engine` and `token_counter`.
"""
