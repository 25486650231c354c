"""The backend of maturin, but it downloads no Rust compiler: without one, pip shows that Rust is missing."""

import os

os.environ.setdefault("MATURIN_NO_INSTALL_RUST", "1")

from maturin import *  # noqa: F403
