"""What every command line of this project shares: groups, help, options and output formats. Knows no command.

It stands between click and `console`, which knows no command line.
"""
