"""An index in a directory: files that never change, and a manifest that names those which count.

An addition writes a segment, which is an index file of its own; a removal writes the removed fingerprints. Both take
time in proportion to the change. From time to time, neighbouring parts are merged. A change happens at the moment in
which the manifest is replaced.
"""
