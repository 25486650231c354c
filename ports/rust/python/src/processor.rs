//! Work that is compiled several times, for the instructions that a processor may have.

/// Work that vector instructions speed up.
pub trait Work {
    type Found;

    /// Do it. It must be inlined, with what it calls: only what is inlined is compiled for a processor.
    fn run(self) -> Self::Found;
}

/// Do some work as it is compiled for this processor.
///
/// A wheel runs on every processor of its kind, also on those without an instruction that counts bits.
#[allow(unsafe_code)]
pub fn fastest<W: Work>(work: W) -> W::Found {
    #[cfg(target_arch = "x86_64")]
    {
        let has_popcnt = is_x86_feature_detected!("popcnt");
        if has_popcnt && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
            // SAFETY: the processor has what the function uses.
            return unsafe { with_avx512(work) };
        }
        if has_popcnt && is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has what the function uses.
            return unsafe { with_avx2(work) };
        }
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,avx512f,avx512vpopcntdq")]
fn with_avx512<W: Work>(work: W) -> W::Found {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,avx2")]
fn with_avx2<W: Work>(work: W) -> W::Found {
    work.run()
}
