"""Units as people say and type them, with what they are worth in bytes, seconds, FLOP and counted things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from tutor.grading.numerals import number_at
from tutor.grading.tokens import Token, glued, hyphen, kind, tokens, word

# Powers of the base units: (("B", 1), ("s", -1)) is bytes per second; sorted by name, no zeros.
Dims = tuple[tuple[str, int], ...]

_COUNTED = """token tok toks tokens; parameter param params weight; request req reqs; query; user client customer;
sequence seq seqs sample conversation; layer; head; GPU gpu card device accelerator h100 a100 h200 b200; node;
step pass iteration; element value number entry; word; dimension dim dims; expert; block page; replica instance;
server machine; channel; group; row; column; nat; character char chars; core; thread; image; vector; bucket; level;
matrix; call; chunk; document; candidate; option; way; epoch; example"""
_MODIFIERS = frozenset(
    """kv k v query attention transformer decoder encoder prompt output input context generated concurrent active
    total dense new equally likely possible gpu decode prefill draft request forward single extra hidden next more
    parallel million-token training model full simultaneous""".split()
)
_PREFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_PREFIX_WORDS = dict(zip(("kilo", "mega", "giga", "tera", "peta", "exa"), _PREFIXES, strict=True))
_BINARY_WORDS = {"kibi": "K", "mebi": "M", "gibi": "G", "tebi": "T", "pebi": "P"}
_FACTOR_FOLLOWERS = frozenset(
    """the as more less faster slower higher lower larger bigger smaller better worse cheaper longer shorter what that
    its their this over fewer greater""".split()
)


@dataclass(frozen=True)
class Unit:
    """A unit: `value * scale` is the amount in the base units of `dims`.

    Attributes:
        symbol: Short spelling, such as `KB`, `TB/s`, `B/token`, `%`; "" for a bare number.
        scale: Factor to the base units (bytes, seconds, FLOP, W, J, Hz, USD, counted things).
        dims: Powers of the base units.
    """

    symbol: str = ""
    scale: float = 1.0
    dims: Dims = ()

    @property
    def si(self) -> str:
        """The base units spelled out: `B/s`, `FLOP/byte`, "" for a pure number."""
        above = "·".join(n for n, power in self.dims if power > 0)
        below = ["byte" if n == "B" else n for n, power in self.dims for _ in range(-power)]
        return "/".join([above or "1" if below else above, *below])

    def per(self, other: Unit, count: float = 1.0) -> Unit:
        """This unit per `count` of another one."""
        dims = dict(self.dims)
        for name, power in other.dims:
            dims[name] = dims.get(name, 0) - power
        below = {"B": "byte", "days": "day"}.get(other.symbol, other.symbol)
        below = below if count == 1 else f"{_ROUND_COUNTS.get(count, f'{count:g} ')}{below}"
        kept = tuple(sorted((n, p) for n, p in dims.items() if p))
        return Unit(f"{self.symbol or '1'}/{below}", self.scale / other.scale / count, kept)


_ROUND_COUNTS = {1e3: "1K ", 1e6: "1M ", 1e9: "1B "}
BARE = Unit()
FACTOR = Unit("x")
DOLLAR = Unit("USD", 1.0, (("USD", 1),))
COUNTED: frozenset[str] = frozenset(group.split()[0] for group in _COUNTED.split(";"))
"""Base units that only say what is counted: "per token" may be left out without changing what is measured."""


def _base(symbol: str, scale: float, name: str) -> Unit:
    return Unit(symbol, scale, ((name, 1),))


def _rate(symbol: str, scale: float, name: str) -> Unit:
    return Unit(symbol, scale, tuple(sorted(((name, 1), ("s", -1)))))


def _spread(table: dict[str, Unit], unit: Unit, spellings: str) -> None:
    table.update({spelling: unit for spelling in spellings.split(",")})


def _counted_things() -> dict[str, Unit]:
    table: dict[str, Unit] = {}
    for group in _COUNTED.split(";"):
        symbol, *others = group.split()
        for name in (symbol, *others):
            plural = name[:-1] + "ies" if name.endswith("y") else name + ("es" if name[-1] in "sx" else "s")
            table[name.lower()] = table[plural.lower()] = _base(symbol, 1.0, symbol)
    return table


def _symbols() -> dict[str, Unit]:
    """Abbreviations, where capitals matter: `GB` is bytes, `Gb` bits."""
    table = {"B": _base("B", 1.0, "B"), "byte": _base("B", 1.0, "B"), "bit": _base("bit", 0.125, "B")}
    for prefix, factor in _PREFIXES.items():
        binary = 1024.0 ** round(log10(factor) / 3)
        for letter in {prefix, prefix.lower() if prefix == "K" else prefix}:
            _spread(table, _base(prefix + "B", factor, "B"), f"{letter}B,{letter} B,{letter}Byte,{letter}Bytes")
            _spread(table, _base(prefix + "bit", factor / 8, "B"), f"{prefix}b,{letter}bit,{letter}bits")
            _spread(table, _rate(prefix + "bit/s", factor / 8, "B"), f"{letter}bps,{letter}b/s,{letter}bits/s")
            _spread(table, _rate(prefix + "B/s", factor, "B"), f"{letter}Bps,{letter}B/s")
        table[prefix + "FLOP"] = _base(prefix + "FLOP", factor, "FLOP")
        _spread(table, _rate(prefix + "FLOP/s", factor, "FLOP"), f"{prefix}FLOPS,{prefix}FLOPs,{prefix}OPS")
        _spread(table, _base(prefix + "iB", binary, "B"), f"{prefix}iB,{prefix.lower()}iB,{prefix}ib")
    _spread(table, table["GB"], "G,Gs")
    for symbol, scale, name in (("W", 1.0, "W"), ("J", 1.0, "J"), ("Wh", 3600.0, "J"), ("Hz", 1.0, "Hz")):
        for prefix, factor in (("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)):
            table[prefix + symbol] = _base(prefix + symbol, scale * factor, name)
    for symbol, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("h", 3600.0)):
        table[symbol] = _base(symbol, scale, "s")
    _spread(table, table["us"], "µs,μs")
    return table


def _words() -> dict[str, Unit]:
    """Spelled-out and lower-case spellings, compared without capitals."""
    table = _counted_things()
    _spread_prefixed(table)
    _spread(table, table["megabyte"], "meg,megs")
    _spread(table, table["gigabyte"], "gig,gigs")
    _spread(table, table["terabyte"], "tera,teras")
    _spread(table, _base("B", 1.0, "B"), "byte,bytes")
    _spread(table, _base("bit", 0.125, "B"), "bit,bits")
    operations = "flop,flops,operation,operations,op,ops,floating point operations,floating point operation"
    _spread(table, _base("FLOP", 1.0, "FLOP"), operations)
    _spread(table, _base("s", 1.0, "s"), "second,seconds,sec,secs")
    _spread(table, _base("ms", 1e-3, "s"), "millisecond,milliseconds,msec,msecs,milli,millis,m s,milli seconds,ms")
    _spread(table, _base("us", 1e-6, "s"), "microsecond,microseconds,usec,micros,micro seconds")
    _spread(table, _base("ns", 1e-9, "s"), "nanosecond,nanoseconds,nsec")
    _spread(table, _base("min", 60.0, "s"), "minute,minutes,min,mins")
    _spread(table, _base("h", 3600.0, "s"), "hour,hours,hr,hrs")
    _spread(table, _base("days", 86400.0, "s"), "day,days")
    _spread(table, _base("week", 7 * 86400.0, "s"), "week,weeks")
    _spread(table, _base("month", 30 * 86400.0, "s"), "month,months")
    _spread(table, _base("year", 365 * 86400.0, "s"), "year,years")
    _spread(table, _base("GPU·h", 3600.0, "GPU·s"), "gpu hour,gpu hours,gpu - hour,gpu - hours,gpu · h")
    _spread(table, _base("GPU·s", 1.0, "GPU·s"), "gpu · s,gpu seconds,gpu second")
    _spread(table, DOLLAR, "usd,dollar,dollars,buck,bucks")
    _spread(table, _base("cent", 0.01, "USD"), "cent,cents")
    _spread(table, _base("W", 1.0, "W"), "watt,watts")
    _spread(table, _base("J", 1.0, "J"), "joule,joules")
    _spread(table, _rate("token/s", 1.0, "token"), "tps")
    _spread(table, _rate("request/s", 1.0, "request"), "rps")
    _spread(table, _rate("query/s", 1.0, "query"), "qps")
    _spread(table, Unit("%", 0.01), "%,percent,per cent,percentage points,percentage point,pct")
    _spread(table, FACTOR, "fold")
    return table


def _spread_prefixed(table: dict[str, Unit]) -> None:
    """Bytes, bits, operations and watts with each prefix: "gigabyte", "mega flops", "kbps", "gibibytes"."""
    for prefix, letter in _PREFIX_WORDS.items():
        factor, low = _PREFIXES[letter], letter.lower()
        spoken = (
            f"{prefix}byte,{prefix}bytes,{prefix} byte,{prefix} bytes,{low} b,{low}b,{low}bs,{low} byte,{low} bytes"
        )
        _spread(table, _base(letter + "B", factor, "B"), spoken)
        _spread(table, _base(letter + "bit", factor / 8, "B"), f"{prefix}bit,{prefix}bits,{low}bit,{low}bits")
        flops = f"{prefix}flop,{prefix}flops,{prefix} flops,{prefix} flop,{low}flops,{low}flop,{low} flops,{low}ops"
        _spread(table, _rate(letter + "FLOP/s", factor, "FLOP"), flops)
        _spread(table, _rate(letter + "bit/s", factor / 8, "B"), f"{low}bps")
        _spread(table, _base(letter.replace("K", "k") + "W", factor, "W"), f"{prefix}watt,{prefix}watts")
    for prefix, letter in _BINARY_WORDS.items():
        binary = 1024.0 ** round(log10(_PREFIXES[letter]) / 3)
        _spread(
            table, _base(letter + "iB", binary, "B"), f"{prefix}byte,{prefix}bytes,{prefix} bytes,{letter.lower()}ib"
        )


_SYMBOLS, _WORDS = _symbols(), _words()


def named(toks: Sequence[Token], i: int) -> tuple[Unit, int] | None:
    """A unit without "per", read from up to three tokens, with the index behind it."""
    for length in (3, 2, 1):
        run = toks[i : i + length]
        if len(run) < length:
            continue
        unit = _SYMBOLS.get(" ".join(t.text for t in run)) or _WORDS.get(" ".join(t.word for t in run))
        if unit:
            return unit, i + length
    return None


def _counted(toks: Sequence[Token], i: int) -> tuple[Unit, int] | None:
    """A counted thing behind at most three adjectives: "KV heads", "equally likely next tokens"."""
    j = i
    while j < i + 3 and word(toks, j) in _MODIFIERS and not (glued(toks, j) and kind(toks, j - 1) == "number"):
        j += 1
    unit = named(toks, j) if j > i else None
    return unit if unit and unit[0].dims and unit[0].dims[0][0] in COUNTED else None


def _factor(toks: Sequence[Token], i: int) -> tuple[Unit, int] | None:
    """ "x" or "times" as a factor ("50 times the median"), not as a multiplication ("4 x 3.35", "two times layers")."""
    if word(toks, i) in ("x", "×") and number_at(toks, i + 1) is None:
        then = word(toks, i + 1)
        if glued(toks, i) or then in _FACTOR_FOLLOWERS or not then.isalnum():
            return FACTOR, i + 1
    if word(toks, i) == "times" and word(toks, i + 1) in _FACTOR_FOLLOWERS:
        return FACTOR, i + 1
    return None


def _denominator(toks: Sequence[Token], i: int, above: Unit) -> tuple[Unit, float, int] | None:
    """The unit behind "per", "/", "a", "each"; with a round count in "per million tokens"."""
    sign, j = word(toks, i), i + 1
    if sign == "for" and word(toks, j) in ("each", "every"):
        sign, j = "each", j + 1
    if sign not in ("/", "per", "a", "an", "each", "every"):
        return None
    count = number_at(toks, j) if sign in ("/", "per") else None
    if count and count.value >= 100 and log10(count.value) % 1 == 0:
        j = count.end
    found = named(toks, j) or _counted(toks, j)
    if found is None or not found[0].dims:
        return None
    if sign not in ("/", "per") and not above.dims:
        return None
    if sign in ("a", "an") and above.dims == (("s", 1),) and found[0].symbol not in ("token", "step", "request"):
        return None
    return found[0], count.value if count and j == count.end else 1.0, found[1]


def unit_at(toks: Sequence[Token], i: int, above: Unit = BARE) -> tuple[Unit, int]:
    """The unit that starts at token i (behind a number) with the index behind it; `above` and i if there is none.

    Args:
        above: A unit said before the number, as in "$2 per hour".

    >>> unit_at(tokens("terabytes per second"), 0)
    (Unit(symbol='TB/s', scale=1000000000000.0, dims=(('B', 1), ('s', -1))), 3)
    """
    start = hyphen(toks, i)
    unit, end = above, i
    if above == BARE:
        unit, end = _counted(toks, start) or named(toks, start) or _factor(toks, start) or (BARE, i)
    for _ in range(3):
        below = _denominator(toks, end, unit)
        if below is None:
            break
        divisor, count, end = below
        unit = _divided(unit, divisor, count)
    return unit, end


def _divided(unit: Unit, divisor: Unit, count: float) -> Unit:
    """`unit / divisor`, where "TFLOPS per second" is TFLOP/s and "GFLOPS per token" is GFLOP/token."""
    if unit.symbol.endswith("FLOP/s"):
        if divisor.dims == (("s", 1),):
            return unit
        if divisor.symbol in ("token", "B", "parameter", "word"):
            unit = Unit(unit.symbol.removesuffix("/s"), unit.scale, (("FLOP", 1),))
    return unit.per(divisor, count)


def parse_unit(symbol: str) -> Unit:
    """The unit of a rubric's figure: any spelling that an answer may use, "" or "1" for a pure number.

    Raises:
        ValueError: It is no known unit.

    >>> parse_unit("GiB").scale
    1073741824.0
    """
    toks = tokens(symbol)
    if not toks or symbol == "1":
        return BARE
    if symbol in ("x", "×"):
        return FACTOR
    unit, end = unit_at(toks, 1 if word(toks, 0) == "1" else 0)
    if end != len(toks):
        raise ValueError(
            f"{symbol!r} is not a known unit; write one such as GB, KiB/token, ms, token/s, FLOP/byte or %"
        )
    return unit
