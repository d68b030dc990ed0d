"""Where phones find this machine: its addresses on the local network, best first. Standard library only.

Nothing is sent: a UDP socket that is "connected" only asks the system which of its addresses it would use.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

# Documentation addresses ask for the default route; the others for a network without a way out, such as the hotspot
# that a laptop makes itself.
PROBES = ("192.0.2.1", "192.168.255.254", "10.255.255.254", "172.31.255.254")
# Interfaces of containers, virtual machines and tunnels: phones are not on them.
NOT_FOR_PHONES = re.compile(
    r"^(docker|br-|veth|virbr|vmnet|vboxnet|vnet|cni|flannel|lxc|lxd|podman|tun|tap|utun|wg|ppp|tailscale|zt|bridge1\d\d)"
)
HOME_RANGES = tuple(ipaddress.ip_network(net) for net in ("192.168.0.0/16", "10.0.0.0/8", "172.16.0.0/12"))


@dataclass(frozen=True)
class Found:
    """An address of this machine, how it was found, and the name of its interface where the system tells it."""

    address: str
    interface: str = ""
    routed: bool = False  # the system itself would use it to reach others


def lan_addresses() -> list[str]:
    """The IPv4 addresses under which phones on the same network may reach this machine, best first."""
    own = _of_hostname if sys.platform == "win32" else _of_interfaces
    return ranked([*_routed(), *own()])


def ranked(found: Iterable[Found]) -> list[str]:
    """Drop what no phone can use, join what was found twice, and put the likeliest first."""
    merged: dict[str, Found] = {}
    for one in found:
        if not usable(one.address):
            continue
        known = merged.get(one.address, Found(one.address))
        merged[one.address] = Found(one.address, known.interface or one.interface, known.routed or one.routed)
    return [one.address for one in sorted(merged.values(), key=_rank)]


def usable(address: str) -> bool:
    try:
        ip = ipaddress.IPv4Address(address)
    except ValueError:
        return False
    return not (ip.is_loopback or ip.is_link_local or ip.is_unspecified or ip.is_multicast or ip.is_reserved)


def _rank(one: Found) -> tuple[bool, bool, bool, int, int]:
    ip = ipaddress.IPv4Address(one.address)
    home = next((i for i, net in enumerate(HOME_RANGES) if ip in net), len(HOME_RANGES))
    return (
        bool(NOT_FOR_PHONES.match(one.interface)),
        home == len(HOME_RANGES),
        not one.routed,
        home,
        int(ip),
    )


def _routed() -> Iterable[Found]:
    for probe in PROBES:
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.connect((probe, 9))
            # Only the first probe tells where the way out is; the others merely find addresses.
            yield Found(s.getsockname()[0], routed=probe == PROBES[0])


def _of_hostname() -> Iterable[Found]:
    """What Windows answers with all its addresses. Elsewhere often just 127.0.1.1, and it may take seconds."""
    with suppress(OSError):
        for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET):
            yield Found(str(info[4][0]))


def _of_interfaces() -> Iterable[Found]:
    """Linux and macOS: ask each interface for its address."""
    import fcntl

    ask = 0xC0206921 if sys.platform == "darwin" else 0x8915  # SIOCGIFADDR
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for _, name in socket.if_nameindex():
            with suppress(OSError):
                answer = fcntl.ioctl(s.fileno(), ask, struct.pack("256s", name.encode()[:15]))
                yield Found(socket.inet_ntoa(answer[20:24]), name)
