"""Commands of gdb for coroutines: who awaits whom. tools/gdb/README.md shows how.

    (gdb) source tools/gdb/ccm.py
    (gdb) ccm-awaiting            the coroutine of the selected frame, and all that wait for it
    (gdb) ccm-awaiting ADDRESS    the same for a coroutine's frame in memory (a handle's _M_fr_ptr)

A backtrace ends where the loop resumed a coroutine; this one goes on with ccm::Task and boost::asio::awaitable. It needs
debug information (`cmake --preset dev`), and GCC's layout of a coroutine's frame.
"""
import re

import gdb

# The parameters at the end of a function's name.
PARAMETERS = re.compile(r"\((?:\(anonymous namespace\)|[^()])*\)$")
# A chain that is longer is a loop in memory that was overwritten.
MOST = 200


def resume_function(address):
    """(function, file:line) of the coroutine whose frame is there; (None, "") when nothing or no coroutine is."""
    pointer = gdb.lookup_type("void").pointer().pointer()
    resume = int(gdb.Value(address).cast(pointer).dereference())
    block = gdb.block_for_pc(resume) if resume else None
    while block is not None and block.function is None:
        block = block.superblock
    if block is None:
        return None, ""
    line = gdb.find_pc_line(resume)
    return block.function, f"{line.symtab.filename}:{line.line}" if line.symtab else "?"


def promise_of(address, function):
    """The promise in a frame: the function's only parameter has the frame's type."""
    parameter = function.type.fields()[0].type
    return gdb.Value(address).cast(parameter).dereference()["_Coro_promise"]


def member(value, name):
    """A member of the value or of one of its bases; None when it has none of that name."""
    try:
        return value[name]
    except gdb.error:
        return None


def awaited_by(promise):
    """The address of the frame of the coroutine that awaits this one; 0 at the end."""
    continuation = member(promise, "continuation")
    if continuation is not None:  # ccm::Task
        return int(continuation["_M_fr_ptr"])
    caller = member(promise, "caller_")
    if caller is not None:  # boost::asio::awaitable
        return int(caller["coro_"]["_M_fr_ptr"]) if int(caller) else 0
    return 0


def name_of(function):
    """`ccm::node::Controller::initialize` without the frame that GCC makes its parameter."""
    return PARAMETERS.sub("", function.name or "?")


def chain(address):
    """(frame's address, function, file:line) from the innermost coroutine outward."""
    for _ in range(MOST):
        function, place = resume_function(address) if address else (None, "")
        # The end of a chain is std::noop_coroutine, or a coroutine without debug information.
        if function is None or not function.type.fields():
            return
        yield address, function, place
        try:
            address = awaited_by(promise_of(address, function))
        except gdb.error:
            return


class Awaiting(gdb.Command):
    """ccm-awaiting [ADDRESS]: a coroutine and those that wait for it, the innermost first."""

    def __init__(self):
        super().__init__("ccm-awaiting", gdb.COMMAND_STACK, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        address = int(gdb.parse_and_eval(argument)) if argument.strip() else self.selected()
        found = False
        for number, (frame, function, place) in enumerate(chain(address)):
            found = True
            print(f"#{number}  {frame:#x}  {name_of(function)}  {place}")
        if not found:
            raise gdb.GdbError("no coroutine with debug information is there (its handle's _M_fr_ptr is the address)")

    @staticmethod
    def selected():
        """The frame of the innermost coroutine that the selected frame or one of its callers runs."""
        frame = gdb.selected_frame()
        while frame is not None:
            try:
                return int(frame.read_var("frame_ptr"))
            except ValueError:
                frame = frame.older()
        raise gdb.GdbError("the selected frame and its callers run no coroutine with debug information")


Awaiting()
