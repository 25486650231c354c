//! The crate `simhash-doc` as a Python module. The engine `native` of the Python package `simhash-doc` calls it.

mod buffers;
mod join;
mod memory;
mod nearest;
mod processor;
mod similar;
mod slice_lists;
mod text;
mod token_counter;
mod token_numbers;

/// The compiled core of the Python package `simhash-doc`, whose engine `native` calls it.
#[pyo3::pymodule]
mod simhash_doc_native {
    /// Raised whenever a function changes: the package uses one interface.
    #[pymodule_export]
    const INTERFACE: u32 = 5;
    #[pymodule_export]
    const SPECIFICATION: &str = simhash_doc::SPECIFICATION;
    #[pymodule_export]
    const DATA_DIGEST: &str = simhash_doc::DATA_DIGEST;

    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::memory::silence();
        Ok(())
    }

    #[pymodule_export]
    use crate::join::{BucketPairs, count_buckets, fill_buckets};
    #[pymodule_export]
    use crate::nearest::nearest;
    #[pymodule_export]
    use crate::similar::assign_similar;
    #[pymodule_export]
    use crate::slice_lists::search_slice_lists;
    #[pymodule_export]
    use crate::text::{fingerprint, measure, measure_batch};
    #[pymodule_export]
    use crate::token_counter::TokenCounter;
    #[pymodule_export]
    use crate::token_numbers::TokenNumbers;
}
