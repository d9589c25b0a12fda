"""What the ``diff`` attribute and ``diff.<driver>`` settings say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.userdiff import Drivers, PosixRegex, built_in
from git_zdev.ground.errors import ZdevError
from tests.support.evidence import open_at

if TYPE_CHECKING:
    from tests.support.repo import GitRepo


def drivers(repo: GitRepo, **settings: str) -> Drivers:
    for key, value in settings.items():
        repo.git("config", key.replace("__", "."), value)
    return Drivers(open_at(repo.path).config)


def test_set_and_unset_are_text_and_binary(repo: GitRepo) -> None:
    found = drivers(repo)
    assert found.of(True).binary is False
    assert found.of(False).binary is True
    assert found.of(None).binary is None
    assert found.of("unheard-of").binary is None


def test_a_driver_may_settle_whether_its_files_are_binary(repo: GitRepo) -> None:
    found = drivers(repo, diff__img__binary="true", diff__txt__binary="no", diff__x__binary="auto")
    assert [found.of(name).binary for name in ("img", "txt", "x")] == [True, False, None]


def test_patterns_of_the_user_replace_the_built_in_one(repo: GitRepo) -> None:
    found = drivers(repo, diff__python__xfuncname="!^class\n^(def [a-z]+)\\(")
    test = found.of("python").function_line
    assert test is not None
    assert test(b"def run(self):\n") == b"def run"
    assert test(b"class X:\n") is None
    usual = drivers(repo).of("java").function_line
    assert usual is not None
    assert usual(b"  void run() {\r\n") == b"void run() {"


def test_the_default_driver_can_be_configured(repo: GitRepo) -> None:
    test = drivers(repo, diff__default__funcname="^\\(x*\\)y").of(None).function_line
    assert test is not None
    assert test(b"xxy\n") == b"xx"


def test_a_malformed_pattern_names_its_key(repo: GitRepo) -> None:
    test = drivers(repo, diff__mine__xfuncname="(").of("mine").function_line
    assert test is not None
    with pytest.raises(ZdevError, match=r"diff\.mine\.xfuncname") as caught:
        test(b"x\n")
    assert caught.value.code == "invalid-git-config"


@pytest.mark.parametrize(
    ("pattern", "extended", "text", "found"),
    [
        (b"b+", True, b"abbc", b"bb"),
        (b"b+", False, b"abb+c", b"b+"),
        (b"a(b)?c", True, b"xacx", b"ac"),
        (b"a(b)?c", True, b"xabcx", b"b"),
        (b"x|xy|xyz", True, b"xyz!", b"xyz"),
        (b"^(x*)", True, b"y", b""),
        (b"z", True, b"abc", None),
        (b"c$", True, b"abc\0d", b"c"),
    ],
)
def test_the_c_library_decides(
    pattern: bytes, extended: bool, text: bytes, found: bytes | None
) -> None:
    assert PosixRegex(pattern, extended=extended).search(text) == found


def shown(driver: str, line: str) -> str | None:
    """What a heading shows for a line, by the rules of the driver's pattern."""
    pattern, ignore_case = built_in(driver)
    assert pattern is not None
    for rule in pattern.split("\n"):
        match = re.search(rule.removeprefix("!"), line, re.IGNORECASE if ignore_case else 0)
        if match:
            if rule.startswith("!"):
                return None
            return match[1] if match.re.groups and match[1] is not None else match[0]
    return None


@pytest.mark.parametrize(
    ("driver", "line", "heading"),
    [
        ("ada", "  package body Stack is", "package body Stack is"),
        ("ada", "PROCEDURE P is New Q;", None),
        ("bash", "  f () {", "f ()"),
        ("bash", "function f { :; }", "function f {"),
        ("bibtex", "  @misc{ key, title", "@misc{ key"),
        ("cpp", "void A::f() const", "void A::f() const"),
        ("cpp", "public:", None),
        ("csharp", "  public int Count", "public int Count"),
        ("csharp", "  return f(x)", None),
        ("css", "a:hover {", "a:hover {"),
        ("css", "color: red;", None),
        ("dts", "\tcpu@0 {", "cpu@0 {"),
        ("dts", "\treg = <0>;", None),
        ("elixir", "  defp f(x) do", "defp f(x) do"),
        ("elixir", "  defguard f(x)", None),
        ("fortran", "  REAL FUNCTION f(x)", "REAL FUNCTION f(x)"),
        ("fortran", "C     SUBROUTINE f", None),
        ("fountain", "int. house", "int. house"),
        ("fountain", "..dots", None),
        ("golang", "type P struct { x int }", "type P struct { "),
        ("golang", "type P = int", None),
        ("html", "  <h2 id=x>T</h2>", "<h2 id=x>T</h2>"),
        ("html", "<h7>T</h7>", None),
        ("java", "  public class A extends B {", "public class A extends B {"),
        ("java", "  return f(x);", None),
        ("kotlin", "  inline fun f() {", "inline fun f() {"),
        ("kotlin", "  val x = 1", None),
        ("markdown", "  ## Two", "  ## Two"),
        ("markdown", "    # code", None),
        ("matlab", "%% Cell", "%% Cell"),
        ("matlab", "% note", None),
        ("objc", "- (void)draw;", "- (void)draw;"),
        ("objc", "return f(x)", None),
        ("pascal", "  T = class(TObject)", "  T = class(TObject)"),
        ("pascal", "  procedure p;", None),
        ("perl", "sub f {", "sub f {"),
        ("perl", "sub f($$) {", "($$) "),
        ("perl", "sub f;", None),
        ("php", "  final public function f() {", "final public function f() {"),
        ("php", "  $f = function () {", None),
        ("python", "    async def f(self):", "async def f(self):"),
        ("python", "classes = 1", None),
        ("ruby", "  def self.f", "def self.f"),
        ("ruby", "  private def f", None),
        ("rust", "pub(crate) async fn f() {", "pub(crate) async fn f() {"),
        ("rust", "struct S;", None),
        ("scheme", "(define (f x)", "(define (f x)"),
        ("scheme", "(lambda (x)", None),
        ("tex", "\\subsection*{T}", "\\subsection*{T}"),
        ("tex", "\\paragraph{T}", None),
    ],
)
def test_lines_that_open_a_section(driver: str, line: str, heading: str | None) -> None:
    assert shown(driver, line) == heading


def test_blanks_are_space_and_tab_alone() -> None:
    assert shown("python", "\vdef f():") is None
    assert shown("python", "\t def f():") == "def f():"


def test_other_names_have_no_pattern() -> None:
    assert built_in("cobol") == (None, False)
