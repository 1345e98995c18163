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
    resume = pointer_at(address)
    block = gdb.block_for_pc(resume) if resume else None
    while block is not None and block.function is None:
        block = block.superblock
    if block is None:
        return None, ""
    line = gdb.find_pc_line(resume)
    return block.function, f"{line.symtab.filename}:{line.line}" if line.symtab else "?"


def pointer_at(address):
    """The pointer that is in memory there."""
    pointer = gdb.lookup_type("void").pointer().pointer()
    return int(gdb.Value(address).cast(pointer).dereference())


def awaited_by(address):
    """The address of the frame of the coroutine that awaits the one in the frame there; 0 at the end.

    A frame begins with two functions, then its promise. That is read by its layout: GCC writes no members of the frames of member
    functions.
    """
    size = gdb.lookup_type("void").pointer().sizeof
    promise = address + 2 * size
    first = pointer_at(promise)
    if first != address:  # ccm::Task: the handle of who awaits it
        return first
    # boost::asio::awaitable: its own handle, its thread, the promise of who awaits it
    caller = pointer_at(promise + 2 * size)
    return pointer_at(caller) if caller else 0


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
            address = awaited_by(address)
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
