"""Engine `numpy`: the pipeline as operations on arrays of many documents."""
