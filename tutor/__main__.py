"""`python -m tutor` is `tutor`."""

from tutor.main import main

main()
