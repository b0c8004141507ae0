"""Compiling a kernel without the work that numba does in vain: half the seconds of a first run.

Numba makes machine code of every function that a kernel is put together from, down to `np.empty`,
and of a second entrance for C to each. Nobody enters there: what a kernel calls is compiled into
it. Here such a part stays what the compiler calls intermediate code, and only a kernel that Python
can call is optimised, once and whole, and becomes machine code. What it computes is the same.

This reaches into numba, so it is used with the versions that it was tried with; with others kernels
are compiled in numba's own way, only slower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core import types
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import Compiler
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher

from recloak.core.memory import no_garbage_collection

ENVIRONMENT = "_ZN08NumbaEnv"  # how numba names the variable that holds a function's constants
FOR_C = "cfunc_wrapper"
FOR_PYTHON = "wrapper"
TRIED_WITH = ("0.68",)
"""Versions of numba, without their last number."""
REACHED_FOR = (
    "_optimize_functions",
    "_optimize_final_module",
    "_finalize_final_module",
    "_raise_if_finalized",
    "add_ir_module",
    "finalize",
    "get_pointer_to_function",
)


PART = {"nopython": True, "boundscheck": None, "no_cpython_wrapper": True}
ENTERED = {"nopython": True, "boundscheck": None, "nogil": True}
Function = Callable[..., Any]
SETTINGS: Any = numba.config


class InnerKernel(CPUDispatcher):
    """A kernel without entrance. A number in the call of it makes no kernel of its own."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What is compiled for a call; numba would do it again for each 0 and 1 in the source."""
        plain = {name: types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(types.unliteral, args)), plain)


class EnteredKernel(CPUDispatcher):
    """A kernel that Python can call. A kernel that calls it takes in its part, without entrance."""

    part: Any

    @property
    def _numba_type_(self) -> Any:
        # one that calls itself is met while it is compiled, and is then itself
        return types.Dispatcher(self if self.is_compiling else self.part)


class KernelCompiler(Compiler):
    """Numba's compiler, with `KernelLibrary` for the kernel and for all that it calls."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function; numba's lock is held, so no one else sees the other library."""
        with _kernel_libraries(self.state.targetctx.codegen()), no_garbage_collection():
            return super().compile_extra(func)


class KernelLibrary(JITCodeLibrary):
    """Code of one function: machine code if Python can call it, else for others to take in."""

    _is_machine_code = True

    def add_ir_module(self, ir_module: Any) -> None:
        """Take in intermediate code; an entrance for C is left out."""
        if ir_module.name != FOR_C:
            super().add_ir_module(ir_module)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Optimise a function by itself, not its entrance, which is done with the whole."""
        ll_module.data_layout = self._codegen._data_layout
        if ll_module.name == FOR_PYTHON:
            return
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def finalize(self) -> None:
        """Take in what the function calls; what is left to do waits for an entrance."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized, self._is_machine_code = True, False

    def get_pointer_to_function(self, name: str) -> int:
        """The address of an entrance, for which machine code is made; 0 if there is none."""
        self._ensure_finalized()
        if not self._is_machine_code:
            if not self._defines(name):
                return 0
            self._make_machine_code()
        return int(super().get_pointer_to_function(name))

    @property
    def codegen(self) -> Any:
        """Who is told of the function's constants: nobody as long as there is no machine code."""
        return super().codegen if self._is_machine_code else _NoMachineCode()

    def _defines(self, name: str) -> bool:
        return any(
            function.name == name and not function.is_declaration
            for function in self._final_module.functions
        )

    def _make_machine_code(self) -> None:
        self._codegen._check_llvm_bugs()
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()
        self._is_machine_code = True
        codegen: Any = self._codegen
        for variable in self._final_module.global_variables:
            if variable.name.startswith(ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    codegen.set_env(variable.name, environment)


class _NoMachineCode:
    def set_env(self, name: str, environment: Any) -> None:
        """There is no variable yet; whoever takes the function in sets it."""


@contextmanager
def _kernel_libraries(codegen: Any) -> Iterator[None]:
    before = codegen._library_class
    codegen._library_class = KernelLibrary
    try:
        yield
    finally:
        codegen._library_class = before


def compiled(function: Function, for_python: bool) -> Any:
    """A function that is compiled when it is first called."""
    if SETTINGS.DISABLE_JIT or not _has_what_is_reached_for():
        njit: Any = numba.njit  # its types do not know of all options
        return njit(nogil=True, no_cpython_wrapper=not for_python)(function)
    part = InnerKernel(function, targetoptions=PART, pipeline_class=KernelCompiler)
    if not for_python:
        return part
    entered = EnteredKernel(function, targetoptions=ENTERED, pipeline_class=KernelCompiler)
    entered.part = part
    return entered


def _has_what_is_reached_for() -> bool:
    if numba.__version__.rpartition(".")[0] not in TRIED_WITH:
        return False
    found = all(hasattr(JITCodeLibrary, name) for name in REACHED_FOR)
    return found and hasattr(JITCPUCodegen, "_library_class")
