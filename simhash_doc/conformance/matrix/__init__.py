"""The matrix: the same requests to several implementations, and the answers of every two compared."""
