"""The pipeline as compiled loops over UTF-8 bytes (extra `fast`): fold, cut, hash, count and add in one go.

Modules, in the order in which data goes through them: `tables` (the pinned data as arrays),
`folding`, `links`, `cutting`, `counting` (in a `token_table`), `summing`; `kernels` joins them,
`memory` and `xxh64` serve all, and `counts` and `batch` are what the package calls.
"""
