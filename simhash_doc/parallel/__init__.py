"""Map a function over items in several processes or threads: results keep the order, and few of them wait in memory.

Worker processes read documents of strangers. So they answer in JSON, which can do nothing in the process that reads it.
"""
