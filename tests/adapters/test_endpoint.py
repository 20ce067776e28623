"""Addresses as people write them."""

from __future__ import annotations

import pytest

from tutor.adapters.endpoint import Endpoint


@pytest.mark.parametrize(
    ("url", "is_address"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("https://models.example/v1", True),
        ("http://[::1]:8080/v1", True),
        ("localhost:8080", False),
        ("ftp://localhost/v1", False),
        ("http://", False),
        ("http://[nonsense", False),
        ("http://localhost:99999/v1", False),
        ("http://localhost:0/v1", False),
        ("", False),
    ],
)
def test_only_web_addresses_with_a_host_and_a_possible_port_are_addresses(url: str, is_address: bool) -> None:
    assert Endpoint(url).is_address is is_address


@pytest.mark.parametrize(
    ("url", "is_local"),
    [
        ("http://localhost:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://localhost.example/v1", False),
    ],
)
def test_only_this_machine_is_local(url: str, is_local: bool) -> None:
    assert Endpoint(url).is_local is is_local


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://me:secret@localhost:1/v1?token=secret", "http://localhost:1/v1"),
        ("https://models.example/v1", "https://models.example/v1"),
        ("http://me:sec?ret@[nonsense", "http://[nonsense"),
        ("nonsense", "nonsense"),
    ],
)
def test_the_shown_address_has_neither_password_nor_query(url: str, shown: str) -> None:
    assert Endpoint(url).shown == shown


def test_the_key_is_not_in_the_repr() -> None:
    assert "secret" not in repr(Endpoint("http://localhost/v1", key="secret"))
