"""One file for each change of shape, named r0001, r0002 ... and never edited once released."""
