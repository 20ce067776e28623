"""The one room where plugs meet sockets: engines, bank, tracker and worker, opened and closed together."""

from tutor.adapters.bank_yaml import read_answers
from tutor.wiring.doctor import checks
from tutor.wiring.house import House, grade_lines, make_private, open_house, set_up

__all__ = ["House", "checks", "grade_lines", "make_private", "open_house", "read_answers", "set_up"]
