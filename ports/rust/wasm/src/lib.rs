//! The fingerprint of a document, for WebAssembly. `index.js` calls these functions.

use std::cell::RefCell;

use simhash_doc::Scheme;

thread_local! {
    static MEMORY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Return the address of memory for a document of `size` bytes, and for its fingerprint.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(size: usize) -> *mut u8 {
    MEMORY.with_borrow_mut(|memory| {
        memory.resize(size.max(64), 0);
        memory.as_mut_ptr()
    })
}

/// Replace the document of `size` bytes with its fingerprint of `lanes` lanes. Return the number of bytes of the
/// fingerprint, or 0 if the document has no token.
#[unsafe(no_mangle)]
pub extern "C" fn fingerprint(size: usize, lanes: usize) -> usize {
    MEMORY.with_borrow_mut(|memory| {
        let scheme = Scheme::ALL.into_iter().find(|scheme| scheme.lanes() == lanes).unwrap_or_default();
        let Ok(fingerprint) = simhash_doc::fingerprint(&memory[..size], scheme) else { return 0 };
        let bytes = fingerprint.to_bytes();
        memory[..bytes.len()].copy_from_slice(&bytes);
        bytes.len()
    })
}
