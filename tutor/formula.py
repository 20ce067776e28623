"""What a figure is worth: arithmetic over named inputs, in a closed list of units."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

from tutor.values import Figure

MAX_CHARACTERS = 500
MAX_NODES = 200
MAX_EXPONENT = 1024

_BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_SIGNS: Mapping[type[ast.unaryop], float] = {ast.UAdd: 1.0, ast.USub: -1.0}

# Name -> (function, smallest and largest number of arguments).
_FUNCTIONS: Mapping[str, tuple[Callable[..., float], int, int]] = {
    "sqrt": (math.sqrt, 1, 1),
    "exp": (math.exp, 1, 1),
    "log": (math.log, 1, 1),
    "log2": (math.log2, 1, 1),
    "log10": (math.log10, 1, 1),
    "abs": (abs, 1, 1),
    "ceil": (math.ceil, 1, 1),
    "floor": (math.floor, 1, 1),
    "min": (min, 2, 20),
    "max": (max, 2, 20),
}


def _units() -> Mapping[str, tuple[float, str]]:
    decimal = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
    binary = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
    units: dict[str, tuple[float, str]] = {"1": (1.0, "1"), "x": (1.0, "1"), "%": (0.01, "1")}
    for base in ("B", "B/s", "B/token", "FLOP", "FLOP/s", "FLOP/token"):
        units |= {prefix + base: (factor, base) for prefix, factor in decimal.items()}
    for base in ("B", "B/s", "B/token"):
        units |= {prefix + base: (factor, base) for prefix, factor in binary.items()}
    units |= {"bit": (0.125, "B"), "Kbit": (125.0, "B"), "Mbit": (0.125e6, "B"), "Gbit": (0.125e9, "B")}
    units |= {"Gbit/s": (0.125e9, "B/s"), "FLOP/byte": (1.0, "FLOP/byte")}
    units |= {"ns": (1e-9, "s"), "us": (1e-6, "s"), "ms": (1e-3, "s"), "s": (1.0, "s")}
    units |= {"min": (60.0, "s"), "h": (3600.0, "s"), "days": (86400.0, "s")}
    units |= {"s/token": (1.0, "s/token"), "ms/token": (1e-3, "s/token"), "us/token": (1e-6, "s/token")}
    units |= {"token/s": (1.0, "token/s"), "requests/s": (1.0, "requests/s"), "requests": (1.0, "requests")}
    units |= {"tokens": (1.0, "tokens"), "parameters": (1.0, "parameters"), "USD": (1.0, "USD")}
    units |= {"W": (1.0, "W"), "kW": (1e3, "W"), "MW": (1e6, "W"), "J": (1.0, "J"), "kWh": (3.6e6, "J")}
    return MappingProxyType(units)


UNITS: Mapping[str, tuple[float, str]] = _units()
"""Every unit a figure may have: name -> (factor, unit it is a multiple of). `1` is a plain number.

K, M, G ... are powers of 1000; Ki, Mi, Gi, Ti powers of 1024 (IEC 80000-13).
"""


def convert(value: float, unit: str, to: str) -> float:
    """`value` of `unit` expressed in `to`, both from UNITS.

    Raises:
        ValueError: A unit is not in the list, or they measure different things.

    >>> round(convert(2.0, "GiB", "GB"), 3)
    2.147
    """
    for name in (unit, to):
        if name not in UNITS:
            raise ValueError(f"{name!r} is not a known unit")
    (factor, base), (to_factor, to_base) = UNITS[unit], UNITS[to]
    if base != to_base:
        raise ValueError(f"{unit} cannot be converted to {to}")
    return value * factor / to_factor


def figure_value(figure: Figure) -> float:
    """The number a figure asks for, in the figure's own unit.

    Raises:
        ValueError: The formula cannot be computed; the text is a sentence for its author.

    >>> figure_value(Figure(criterion_id="c", label="size", formula="2 * layers", inputs={"layers": 32}, unit="1"))
    64.0
    """
    if figure.formula is not None:
        return evaluate(figure.formula, figure.inputs)
    if figure.value is None:
        raise ValueError("the figure has neither a formula nor a value")
    return figure.value


def evaluate(formula: str, inputs: Mapping[str, float]) -> float:
    """The finite value of an arithmetic formula: + - * / **, parentheses, numbers, names, a few functions.

    All arithmetic is in double precision; `log` is natural.

    Args:
        formula: At most 500 characters, such as `2 * layers * kv_heads`.
        inputs: Value of every name in the formula.

    Raises:
        ValueError: A sentence that says what in the formula cannot be computed.

    >>> evaluate("peak / bandwidth", {"peak": 989e12, "bandwidth": 3.35e12})
    295.2238805970149
    >>> evaluate("2 ** tokens", {"tokens": 1e9})
    Traceback (most recent call last):
    ValueError: the exponent 1e+09 is larger than 1024
    """
    try:
        value = _value(_parsed(formula), inputs)
    except ZeroDivisionError:
        raise ValueError("it divides by zero") from None
    except OverflowError:
        raise ValueError("its value is too large") from None
    if not math.isfinite(value):
        raise ValueError("its value is not a finite number")
    return value


def names(formula: str) -> frozenset[str]:
    """The input names a formula uses. Raises ValueError where it is not arithmetic.

    >>> sorted(names("2 * layers * max(heads, 1)"))
    ['heads', 'layers']
    """
    tree = _parsed(formula)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called)


# A rubric's formulas are computed at every look at it, and a drill's for every seed.
@lru_cache(maxsize=4096)
def _parsed(formula: str) -> ast.expr:
    if len(formula) > MAX_CHARACTERS:
        raise ValueError(f"it is longer than {MAX_CHARACTERS} characters")
    try:
        tree = ast.parse(formula.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{formula!r} cannot be read as arithmetic") from None
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise ValueError(f"it has more than {MAX_NODES} parts")
    return tree


def _value(node: ast.expr, inputs: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name):
            return _input(name, inputs)
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _SIGNS:
            return _SIGNS[type(sign)] * _value(operand, inputs)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left, inputs), _value(right, inputs))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, inputs), _value(right, inputs))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, [_value(argument, inputs) for argument in arguments])
    raise ValueError(f"{ast.unparse(node)!r} is not arithmetic; use numbers, names, + - * / ** and parentheses")


def _input(name: str, inputs: Mapping[str, float]) -> float:
    if name not in inputs:
        raise ValueError(f"the name {name!r} is not among the inputs ({', '.join(sorted(inputs)) or 'there are none'})")
    return float(inputs[name])


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > MAX_EXPONENT:
        raise ValueError(f"the exponent {exponent:g} is larger than {MAX_EXPONENT}")
    if base < 0 and not exponent.is_integer():
        raise ValueError(f"{base:g} ** {exponent:g} is not a real number")
    return float(base**exponent)


def _call(name: str, arguments: list[float]) -> float:
    if name not in _FUNCTIONS:
        raise ValueError(f"there is no function {name!r}; there are {', '.join(sorted(_FUNCTIONS))}")
    function, fewest, most = _FUNCTIONS[name]
    if not fewest <= len(arguments) <= most:
        raise ValueError(f"{name} takes {fewest if fewest == most else f'{fewest} to {most}'} numbers")
    try:
        return float(function(*arguments))
    except ValueError:
        raise ValueError(f"{name}({', '.join(f'{a:g}' for a in arguments)}) is not defined") from None
