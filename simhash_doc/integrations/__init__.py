"""Fingerprints in the tools that people already use: one module for each, imported only by who uses it.

| Module | Host | What it adds |
|---|---|---|
| `polars` | polars | the namespace ``simhash`` of expressions |
| `pandas` | pandas | the accessor ``simhash`` of series |
| `duckdb` | DuckDB | SQL functions |
| `daft` | Daft | functions of expressions |
| `rows` | Hugging Face datasets, Ray Data | a function of batches of rows |
| `datatrove` | datatrove | a step that adds fingerprints, and a filter |
| `data_juicer` | data-juicer | a deduplicator |
| `scrapy` | Scrapy | an item pipeline that drops near-duplicates |

docs/how-to/use-in-a-pipeline.md has an example of each. They share `columns` and `seen`.
"""
