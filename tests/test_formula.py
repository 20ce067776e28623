"""A figure's number comes from plain arithmetic and from nothing else."""

from __future__ import annotations

import doctest
import math

import pytest

import tutor.formula
from tutor.formula import UNITS, convert, evaluate, figure_value, names
from tutor.values import Figure


def test_the_worked_examples_of_the_module_hold() -> None:
    outcome = doctest.testmod(tutor.formula)
    assert outcome.attempted >= 5
    assert outcome.failed == 0


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("2 + 3 * 4", 14.0),
        ("(2 + 3) * 4", 20.0),
        ("2 ** 10 / 4", 256.0),
        ("-2 ** 2", -4.0),
        ("+7 - -1", 8.0),
        ("1e3", 1000.0),
        ("2 ** -2", 0.25),
        ("(-8) ** 3", -512.0),
        ("sqrt(16) + abs(-1)", 5.0),
        ("log(exp(2))", 2.0),
        ("log2(8) + log10(1000)", 6.0),
        ("ceil(1.2) + floor(1.8)", 3.0),
        ("min(3, 1, 2) + max(3, 1)", 4.0),
        ("  x * x ", 9.0),
    ],
)
def test_arithmetic_is_as_in_a_textbook(formula: str, value: float) -> None:
    assert evaluate(formula, {"x": 3.0}) == pytest.approx(value)


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("", "cannot be read as arithmetic"),
        ("2 +", "cannot be read as arithmetic"),
        ("2; 3", "cannot be read as arithmetic"),
        ("\x00", "cannot be read as arithmetic"),
        ("(" * 250 + "1" + ")" * 249, "cannot be read as arithmetic"),
        ("1" * 501, "longer than 500 characters"),
        ("+".join("1" * 150), "more than 200 parts"),
        ("y * 2", "the name 'y' is not among the inputs (x)"),
        ("1 / (x - x)", "divides by zero"),
        ("0 ** -1", "divides by zero"),
        ("10 ** 1000", "too large"),
        ("exp(1000)", "too large"),
        ("1e308 * 10", "not a finite number"),
        ("1e999 - 1e999", "not a finite number"),
        ("ceil(1e999)", "too large"),
        ("2 ** 1e9", "the exponent 1e+09 is larger than 1024"),
        ("9 ** 9 ** 9", "larger than 1024"),
        ("(-8) ** 0.5", "-8 ** 0.5 is not a real number"),
        ("sqrt(-1)", "sqrt(-1) is not defined"),
        ("log(0)", "log(0) is not defined"),
        ("sqrt(1, 2)", "sqrt takes 1 numbers"),
        ("min(1)", "min takes 2 to 20 numbers"),
        ("pow(2, 3)", "there is no function 'pow'"),
        ("__import__('os')", "is not arithmetic"),
        ("x.real", "'x.real' is not arithmetic"),
        ("[1][0]", "is not arithmetic"),
        ("(lambda: 1)()", "is not arithmetic"),
        ("7 // 2", "is not arithmetic"),
        ("~1", "is not arithmetic"),
        ("1 if x else 2", "is not arithmetic"),
        ("True", "'True' is not arithmetic"),
        ("'a' * 9", "is not arithmetic"),
        ("1j", "is not arithmetic"),
        ("max(*[1, 2])", "is not arithmetic"),
        ("max(1, 2, key=x)", "is not arithmetic"),
        ("(y := 3)", "is not arithmetic"),
    ],
)
def test_anything_else_is_refused_with_a_sentence(formula: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        evaluate(formula, {"x": 3.0})
    assert sentence in str(refusal.value)


def test_names_are_the_inputs_without_functions() -> None:
    assert names("max(a, b) * a") == {"a", "b"}
    assert names("min + min(1, 2)") == {"min"}


def test_a_figure_is_worth_its_formula_or_its_value() -> None:
    computed = Figure(criterion_id="c", label="x", formula="a / b", inputs={"a": 1.0, "b": 4.0}, unit="1")
    measured = Figure(criterion_id="c", label="x", value=55.02, source="a table", unit="1")
    assert figure_value(computed) == 0.25
    assert figure_value(measured) == 55.02
    with pytest.raises(ValueError, match="neither a formula nor a value"):
        figure_value(measured.model_copy(update={"value": None}))


@pytest.mark.parametrize(
    ("value", "unit", "to", "expected"),
    [
        (320, "KiB/token", "B/token", 327_680),
        (1, "GiB", "GB", 1.073741824),
        (1, "TB/s", "GB/s", 1000),
        (212_340, "s", "h", 58.98333),
        (8, "bit", "B", 1),
        (50, "%", "x", 0.5),
        (989, "TFLOP/s", "FLOP/s", 989e12),
    ],
)
def test_units_are_converted(value: float, unit: str, to: str, expected: float) -> None:
    assert convert(value, unit, to) == pytest.approx(expected, rel=1e-6)


def test_what_cannot_be_converted_is_said() -> None:
    with pytest.raises(ValueError, match="'parsec' is not a known unit"):
        convert(1, "parsec", "s")
    with pytest.raises(ValueError, match="GB cannot be converted to s"):
        convert(1, "GB", "s")


def test_every_unit_is_a_positive_multiple_of_a_unit_of_the_list() -> None:
    for name, (factor, base) in UNITS.items():
        assert factor > 0, name
        assert math.isfinite(factor), name
        assert UNITS[base] == (1.0, base), name
