"""Asks a plugin of mlir-opt for its API versions, as a host would."""

import ctypes
import sys


class PluginInfo(ctypes.Structure):
    """DialectPluginLibraryInfo and PassPluginLibraryInfo, which look alike."""

    _fields_ = [
        ("api_version", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("version", ctypes.c_char_p),
        ("callback", ctypes.c_void_p),
    ]


library = ctypes.CDLL(sys.argv[1])
versions = {}
for entry in ("mlirGetDialectPluginInfo", "mlirGetPassPluginInfo"):
    function = getattr(library, entry)
    function.restype = PluginInfo
    versions[entry] = function().api_version
for entry, version in versions.items():
    print(f"{entry}: API version {version}")
