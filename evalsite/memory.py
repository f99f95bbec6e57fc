"""Memory of processes that fork and stay: what goes back to the system, and what forks share."""

import ctypes
import gc

# Numbers of settings in glibc's malloc.h.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8

# Bytes: the largest gap that is filled, a block too large for any gap, and the most that is allocated.
_PAGE, _LARGE_BLOCK, _MOST_TAKEN = 4096, 200_000, 2 * 1024 * 1024


def give_memory_back() -> None:
    """Let freed memory go back to the system, in this process and those it forks; glibc keeps what one import needed.

    Blocks of 256 KiB and more are mapped separately, and threads share one arena. Other C libraries have no such
    settings. Source: mallopt(3).
    """
    if libc := _glibc():
        libc.mallopt(_MMAP_THRESHOLD, 256 * 1024)
        libc.mallopt(_ARENA_MAX, 1)


def trim_memory() -> None:
    """Give back the memory that a job left: reference cycles, and free blocks between used ones.

    Source: malloc_trim(3).
    """
    gc.collect()
    if libc := _glibc():
        libc.malloc_trim(0)


def fill_gaps() -> None:
    """Allocate the free gaps of the heap, about half a MB, and keep them. Call it before processes are forked.

    A forked process fills such gaps first, for example when SQLite reads the schema. Each write of a few bytes then
    copies a shared page: 5 MB in each process.
    """
    if not (libc := _glibc()):
        return
    libc.malloc.restype, libc.free.argtypes = ctypes.c_size_t, [ctypes.c_size_t]
    beyond, taken = libc.malloc(_LARGE_BLOCK), 0
    for size in range(_PAGE, 0, -16):
        # The limit: a heap in two parts would be allocated without end.
        while 0 < (block := libc.malloc(size)) < beyond and taken < _MOST_TAKEN:
            taken += size
        libc.free(block)
    libc.free(beyond)


def _glibc() -> ctypes.CDLL | None:
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim") else None


def spare_the_collector() -> None:
    """Let the garbage collector skip what is loaded by now, and run less often, which saves a tenth of each request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
