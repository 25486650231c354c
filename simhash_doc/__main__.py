"""`python -m simhash_doc`: the command line."""

from simhash_doc.cli import main

main()
