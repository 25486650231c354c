"""Parquet files: entries of a file of fingerprints, the rows of any file a part at a time, and the only writer."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, product
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from simhash_doc.batch.batches import is_text
from simhash_doc.engines.text_buffer import BATCH_BYTES, DOCUMENT_OVERHEAD
from simhash_doc.entries import HOW_TO_COMPUTE, UnreadableInputError, UnreadableLineError
from simhash_doc.entries.entry import (
    FINGERPRINT_COLUMNS,
    NAME_COLUMNS,
    USED_COLUMNS,
    EntryRows,
    escaped_name,
    repeated_name,
    unescaped_name,
)
from simhash_doc.provenance import METADATA_KEY, InvalidProvenanceError, Provenance
from simhash_doc.schemes import get_schemes

PARQUET_ERRORS = (pa.ArrowException, OSError, UnicodeDecodeError)
"""What reading a file raises that is damaged, or no Parquet file."""
MOST_EXPANSION = 1000
"""The size of the rows in memory, as a multiple of the size of the file, if it is over a gibibyte."""
_LEAST_EXPANDED = 1 << 30  # bytes
_AT_ONCE = 1 << 26  # bytes
_ENTRIES = 1 << 14  # rows
_READ_ROWS = 64
_BUFFER = 1 << 20
_BATCH = 1 << 16  # rows
_GROUP_ROWS = 1 << 17
_GROUP_BYTES = 1 << 23  # before compression
_SIZES = [scheme.bits // 8 for scheme in get_schemes().values()]  # of fingerprints, in bytes
_EXPECTED = f"{', '.join(map(str, _SIZES[:-1]))} or {_SIZES[-1]}"
_WITHOUT_DICTIONARY = {"DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"}  # Arrow cannot read such values as a dictionary
_SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"


class ParquetRows:
    """A file whose rows are read a part at a time; what is in `PARQUET_ERRORS` is raised if it is damaged.

    A damaged page is an error if its writer stored checksums, as `write_parquet` and Spark do. A dictionary stores a
    value once for all rows that have it, so a small file can stand for any amount of data: `MOST_EXPANSION` bounds it.

    Attributes:
        metadata: those of Parquet.
        schema_arrow: the columns.

    Raises:
        UnreadableInputError: the file stands for too much; also raised while it is read.
    """

    def __init__(self, file: str | BinaryIO) -> None:
        options = {"pre_buffer": False, "buffer_size": _BUFFER, "page_checksum_verification": True}
        self._file = pq.ParquetFile(file, **options)
        self.metadata, self.schema_arrow = self._file.metadata, self._file.schema_arrow
        self._texts = [field.name for field in self.schema_arrow if is_text(field.type)]  # a name may be no UTF-8
        self._dictionaries = pq.ParquetFile(file, metadata=self.metadata, read_dictionary=self._texts, **options)
        size = os.path.getsize(file) if isinstance(file, str) else file.seek(0, os.SEEK_END)
        self._most = self._left = max(_LEAST_EXPANDED, MOST_EXPANSION * size)
        chunks = product(range(self.metadata.num_row_groups), range(self.metadata.num_columns))
        self._check(sum(self.metadata.row_group(at).column(one).total_uncompressed_size for at, one in chunks))

    def parts(self, group: int, rows: int, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield record batches of a row group, with at most some rows; types are `plain_type`.

        Too few rows are an `OSError`, as other damage is.
        """
        expected = left = self.metadata.row_group(group).num_rows
        plain = None
        size = self._rows_at_once(group, rows, columns)
        for batch in self._file.iter_batches(size, row_groups=[group], columns=columns, use_threads=False):
            plain = plain or plain_schema(batch.schema)
            part = batch.cast(plain)
            left -= len(part)
            self.spend(len(part), sum(map(_expanded, part.columns)))
            yield part
        if left:
            raise OSError(f"damaged: {expected - left:,} of {expected:,} rows can be read")

    def all_parts(self, rows: int, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the parts of all row groups."""
        for group in range(self.metadata.num_row_groups):
            yield from self.parts(group, rows, columns)

    def spend(self, rows: int, size: int = 0) -> None:
        """Count rows, and their values in bytes, that the file stands for."""
        self._left -= size + DOCUMENT_OVERHEAD * rows
        self._check(self._most - self._left)

    def _check(self, size: int) -> None:
        if size > self._most:
            raise UnreadableInputError(
                f"its rows take over {self._most >> 30:,} GiB, and over {MOST_EXPANSION:,} times the size of the file; "
                "if you trust it, write it again without compression and without dictionaries"
            )

    def _rows_at_once(self, group: int, rows: int, columns: Sequence[str] | None) -> int:
        """Return how many rows to read at once, so that copies of the longest values of dictionaries fit in memory."""
        used = [name for name in self._texts if columns is None or name in columns]
        if not used:
            return rows
        stored = self.metadata.row_group(group)
        every = (stored.column(at) for at in range(stored.num_columns))
        read = [column for column in every if column.path_in_schema.partition(".")[0] in used]
        if any(_WITHOUT_DICTIONARY.intersection(column.encodings) for column in read):
            # A value may consist of parts of all values before it.
            longest = int(sum(column.total_uncompressed_size for column in read))
        else:
            first = next(self._dictionaries.iter_batches(1, row_groups=[group], columns=used, use_threads=False), None)
            longest = 0 if first is None else sum(map(_longest, first.columns))
        return max(1, min(rows, _AT_ONCE // max(longest, 1)))


def _expanded(column: pa.Array) -> int:
    """Return the size of the values of a column in bytes, of which a dictionary stores each once."""
    if not pa.types.is_dictionary(column.type) or not is_text(column.type):
        return int(column.nbytes)
    return pc.sum(pc.binary_length(column.dictionary).take(column.indices)).as_py() or 0


def _longest(column: pa.Array) -> int:
    """Return the size of the longest value of a dictionary in bytes; 0 for another column."""
    return pc.max(pc.binary_length(column.dictionary)).as_py() or 0 if pa.types.is_dictionary(column.type) else 0


def parquet_entries(file: BinaryIO, *, plain_ids: bool = False) -> Iterator[EntryRows]:
    """Yield the entries of a file of fingerprints, many at a time.

    Args:
        file: the file.
        plain_ids: give ids as JSON can hold them (`plain_values`), and not in their own type.

    Raises:
        UnreadableInputError: it is not a Parquet file, has no fingerprints, a column twice, ids
            that cannot be given, or cannot be read to its end.
    """
    try:
        opened = ParquetRows(file if file.seekable() else io.BytesIO(file.read()))
    except PARQUET_ERRORS as error:
        raise UnreadableInputError(f"not a valid Parquet file: {error}") from error
    schema = opened.schema_arrow
    text = next((one for one in FINGERPRINT_COLUMNS if one in schema.names), None)
    name = next((one for one in NAME_COLUMNS if one in schema.names), None)
    if text is None:
        raise UnreadableInputError(f"no column 'fingerprint'; columns: {', '.join(schema.names)}; {HOW_TO_COMPUTE}")
    if repeated := repeated_name(schema.names, USED_COLUMNS):
        raise UnreadableInputError(repeated)
    kind = plain_type(schema.field(text).type)
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    is_binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    if not (is_binary or pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)):
        raise UnreadableInputError(f"column {text!r} is of type {kind}; fingerprints are texts or bytes")
    id_type = type_of_ids(schema, name, plain_ids=plain_ids) if name else None
    used = [one if one in schema.names else None for one in (text, name, "scheme", "support")]
    provenance = _provenance(schema.metadata or {})
    number = 0
    try:
        for batch in opened.all_parts(_ENTRIES, [one for one in used if one]):
            columns = [batch.column(one).to_pylist() if one else [None] * len(batch) for one in used]
            errors = {}
            if is_binary:
                sizes = [len(one) if one else _SIZES[0] for one in columns[0]]
                wrong = {at: size for at, size in enumerate(sizes) if size not in _SIZES}
                errors = {
                    at: UnreadableLineError(f"the fingerprint has {size} bytes; expected {_EXPECTED}")
                    for at, size in wrong.items()
                }
                columns[0] = [one and one.hex() for one in columns[0]]
            if name:
                columns[1] = plain_values(batch.column(name)) if plain_ids else names_of(columns[1])
            rows = range(number, number + len(batch))
            form = "hex" if is_binary else "base32"
            yield EntryRows("row", rows, columns, errors, provenance, name or "path", id_type, form, schema.names)
            number += len(batch)
        if not number:  # for the type of the ids
            yield EntryRows("row", [], [[], [], [], []], {}, provenance, name or "path", id_type)
    except (*PARQUET_ERRORS, ValueError) as error:  # of values that Python does not have
        raise UnreadableInputError(f"the Parquet file cannot be read: {error}") from error


def parquet_ids(file: BinaryIO) -> Iterator[tuple[int, dict[str, Any] | UnreadableLineError]]:
    """Yield the number, from 0, of each row of a file of ids, and its `path` and `id`, as far as it has them.

    Raises:
        UnreadableInputError: it has no such columns, or cannot be read to its end.
    """
    try:
        opened = ParquetRows(file if file.seekable() else io.BytesIO(file.read()))
        names = [one for one in NAME_COLUMNS if one in opened.schema_arrow.names]
        if not names or (problem := repeated_name(opened.schema_arrow.names, names)):
            listed = ", ".join(opened.schema_arrow.names)
            raise UnreadableInputError(problem if names else f"no column 'id' or 'path'; columns: {listed}")
        batches = opened.all_parts(_ENTRIES, names)
        for number, row in enumerate(row for batch in batches for row in batch.to_pylist()):
            found = {
                name: unescaped_name(value) if isinstance(value, str) else value
                for name, value in row.items()
                if value is not None
            }
            yield number, found or UnreadableLineError("the row has no 'id' and no 'path'")
    except (*PARQUET_ERRORS, ValueError) as error:
        raise (
            error
            if isinstance(error, UnreadableInputError)
            else UnreadableInputError(f"the Parquet file cannot be read: {error}")
        ) from error


def type_of_ids(schema: pa.Schema, name: str, *, plain_ids: bool) -> pa.DataType:
    """Return the type of a column of ids: string for all texts, and for others that of single values.

    Raises:
        UnreadableInputError: it has other values, or ones that cannot be given as JSON can hold them.
    """
    kind = plain_type(schema.field(name).type)
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return pa.string()
    if pa.types.is_nested(kind):
        raise UnreadableInputError(f"column {name!r} is of type {kind}; ids are single values")
    if plain_ids and not has_plain_values(kind):
        raise UnreadableInputError(f"column {name!r}: {no_plain_values(kind)}")
    return kind


def has_plain_values(kind: pa.DataType) -> bool:
    """Return True if single values of a type can be written as JSON and CSV."""
    if is_uuid(kind):
        return True
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return False
    try:
        # A value is needed: that the time zone of a timestamp is unknown shows only with one.
        example = pa.array([0], pa.int64()).cast(kind) if pa.types.is_timestamp(kind) else pa.array([], kind)
        pc.cast(example, pa.string())
    except pa.ArrowException:
        return bool(pa.types.is_boolean(kind))
    return True


def no_plain_values(kind: pa.DataType) -> str:
    """Return the error about a type without `has_plain_values`."""
    return f"JSON lines and CSV cannot represent ids of type {kind}; write a file that ends with .parquet"


def plain_values(column: pa.Array) -> list[Any]:
    """Return values as JSON can hold them: names, numbers and booleans as they are, and others as texts."""
    kind = column.type
    if is_uuid(kind):
        return [value and str(value) for value in column.to_pylist()]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return [None if value != value else value for value in column.to_pylist()]
    return names_of(column.cast(pa.string()).to_pylist())


def is_uuid(kind: pa.DataType) -> bool:
    """Return True for the extension type of UUIDs."""
    return getattr(kind, "extension_name", "") == "arrow.uuid"


def compression_of(file: ParquetRows) -> str:
    """Return the compression of a file, as `write_parquet` takes it: that of its first column."""
    if not (file.metadata.num_row_groups and file.metadata.num_columns):
        return "snappy"
    codec = file.metadata.row_group(0).column(0).compression
    return "none" if codec == "UNCOMPRESSED" else str(codec).lower()


def read_group(file: ParquetRows, group: int, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    """Yield record batches of about `BATCH_BYTES` of a row group, with some columns, or all; types are `plain_type`."""
    metadata = file.metadata.row_group(group)
    mean = metadata.total_byte_size // max(metadata.num_rows, 1)
    # Few rows at a time: the sizes of documents may differ by a factor of a million.
    size_of_batch = max(1, min(_READ_ROWS, BATCH_BYTES // max(mean, 1)))
    gathered: list[pa.RecordBatch] = []
    size = 0
    for record in file.parts(group, size_of_batch, columns):
        gathered.append(record)
        size += record.nbytes
        if size >= BATCH_BYTES:
            yield from pa.Table.from_batches(gathered).combine_chunks().to_batches()
            gathered, size = [], 0
    if gathered:
        yield from pa.Table.from_batches(gathered).combine_chunks().to_batches()


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Return a schema whose types are `plain_type`."""
    return pa.schema([field.with_type(plain_type(field.type)) for field in schema], schema.metadata)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return a type without views, which Arrow can neither filter nor take; it casts them, also within others."""
    if kind in (pa.string_view(), pa.binary_view()):
        return pa.string() if kind == pa.string_view() else pa.binary()
    if pa.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        return pa.struct([field.with_type(plain_type(field.type)) for field in fields])
    if pa.types.is_map(kind):
        return pa.map_(plain_type(kind.key_type), plain_type(kind.item_type), kind.keys_sorted)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        value = kind.value_field.with_type(plain_type(kind.value_type))
        if pa.types.is_fixed_size_list(kind):
            return pa.list_(value, kind.list_size)
        return pa.list_(value) if pa.types.is_list(kind) else pa.large_list(value)
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, plain_type(kind.value_type), kind.ordered)
    return kind


def write_parquet(
    file: BinaryIO,
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    metadata: Callable[[], Mapping[bytes, str]] = dict,
    compression: str = "snappy",
) -> None:
    """Write rows in row groups of bounded size, with a compression, and metadata that is known after them."""
    with pq.ParquetWriter(file, schema, compression=compression, write_page_checksum=True) as writer:
        waiting: list[pa.RecordBatch] = []
        rows = size = 0
        for batch in batches:
            waiting.append(batch)
            rows, size = rows + len(batch), size + batch.nbytes
            if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
                writer.write_table(pa.Table.from_batches(waiting, schema))
                waiting, rows, size = [], 0, 0
        if rows:
            writer.write_table(pa.Table.from_batches(waiting, schema))
        if known := metadata():
            writer.add_key_value_metadata(known)


def record_batches(schema: pa.Schema, rows: Iterable[tuple[Any, ...]]) -> Iterator[pa.RecordBatch]:
    """Yield rows of Python values as record batches.

    A value of a column of strings is written as its text, as `escaped_name` gives it: see `names_of`.
    """
    rest = iter(rows)
    while part := list(islice(rest, _BATCH)):
        columns = zip(schema.types, zip(*part, strict=True), strict=True)
        yield pa.record_batch([array_of(column, kind) for kind, column in columns], schema=schema)


def array_of(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return Python values as an array; a value of a column of strings as its text."""
    if is_uuid(kind):  # which not all versions of Arrow take
        storage = [value if value is None else value.bytes for value in values]
        return pa.ExtensionArray.from_storage(kind, pa.array(storage, kind.storage_type))
    return pa.array(map(_text, values) if kind in (pa.string(), pa.large_string()) else values, kind)


def names_of(ids: Sequence[Any]) -> list[Any]:
    """Return ids of a column of Parquet, with the names that their writer escaped."""
    return [unescaped_name(one) if isinstance(one, str) else one for one in ids]


def first_line(error: Exception) -> str:
    """Return the first line of the message of one of the `PARQUET_ERRORS`."""
    text = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return text.splitlines()[0] if text else type(error).__name__


def _provenance(metadata: Mapping[bytes, bytes]) -> dict[str, Any] | None:
    text = metadata.get(METADATA_KEY) or _column_metadata(metadata.get(_SPARK_SCHEMA, b"{}"))
    if text is None:
        return None
    try:
        return Provenance.from_json(text).to_dict()
    except InvalidProvenanceError as error:
        raise UnreadableInputError(str(error)) from error


def _column_metadata(schema: bytes) -> str | None:
    """Return the provenance in the metadata of the column of fingerprints, in a schema that Spark wrote."""
    with suppress(ValueError, RecursionError, LookupError, TypeError, AttributeError):
        fields = {field["name"]: field for field in json.loads(schema)["fields"]}
        return str(fields["fingerprint"]["metadata"][METADATA_KEY.decode()])
    return None


def _text(value: object) -> str | None:
    return None if value is None else escaped_name(str(value))
