"""The one room where plugs meet sockets: engines, bank, tracker and worker, opened and closed together."""

from tutor.adapters.bank_yaml import read_answers
from tutor.wiring.checking import check_bank
from tutor.wiring.doctor import checks
from tutor.wiring.house import House, grade_lines, make_private, open_house, set_up
from tutor.wiring.importing import import_file
from tutor.wiring.transcribing import transcribe_file
from tutor.wiring.verifying import verify_bank

__all__ = [
    "House",
    "check_bank",
    "checks",
    "grade_lines",
    "import_file",
    "make_private",
    "open_house",
    "read_answers",
    "set_up",
    "transcribe_file",
    "verify_bank",
]
