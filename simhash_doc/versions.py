"""The versions of the package and of the specification that it implements."""

__version__ = "0.1.0"
SPEC_VERSION = "1.0.0-rc.4"
