"""Engine `python`: regular expressions of the standard library over complete strings."""
