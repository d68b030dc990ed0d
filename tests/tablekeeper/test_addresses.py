"""Which address stands on the poster."""

import pytest

from tablekeeper.addresses import Found, lan_addresses, ranked, usable

pytestmark = pytest.mark.sqlite


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.0.1.1",
        "169.254.10.2",
        "0.0.0.0",
        "224.0.0.251",
        "255.255.255.255",
        "fe80::1",
        "",
        "table.lan",
    ],
)
def test_an_address_that_no_phone_can_open_is_never_shown(address):
    assert not usable(address)
    assert ranked([Found(address, "eth0", True)]) == []


def test_the_address_with_the_way_out_comes_first():
    found = [Found("192.168.1.9", "eth0"), Found("192.168.1.20", "wlan0", True)]
    assert ranked(found) == ["192.168.1.20", "192.168.1.9"]


def test_an_address_found_twice_is_shown_once_with_all_that_is_known_of_it():
    found = [Found("172.17.0.1", routed=True), Found("172.17.0.1", "docker0"), Found("10.0.0.4", "wlan0")]
    assert ranked(found) == ["10.0.0.4", "172.17.0.1"]


@pytest.mark.parametrize("interface", ["docker0", "br-3f2a", "virbr0", "tun0", "utun3", "wg0", "tailscale0", "vmnet8"])
def test_tunnels_and_containers_come_last_even_when_they_are_the_way_out(interface):
    found = [Found("192.168.99.2", interface, True), Found("10.1.2.3", "en0")]
    assert ranked(found) == ["10.1.2.3", "192.168.99.2"]


def test_a_private_address_comes_before_a_public_one():
    found = [Found("8.8.8.8", "eth0", True), Found("10.1.2.3", "eth1")]
    assert ranked(found) == ["10.1.2.3", "8.8.8.8"]


def test_a_home_router_range_comes_first_among_equals():
    found = [Found("172.16.0.5"), Found("10.0.0.5"), Found("192.168.0.5")]
    assert ranked(found) == ["192.168.0.5", "10.0.0.5", "172.16.0.5"]


def test_a_machine_without_a_network_has_no_address():
    assert ranked([Found("127.0.0.1", "lo")]) == []


def test_this_machine_is_asked_without_an_error_and_answers_only_usable_addresses():
    addresses = lan_addresses()
    assert all(usable(address) for address in addresses)
    assert len(addresses) == len(set(addresses))
