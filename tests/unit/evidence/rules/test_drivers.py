"""The built-in drivers, line by line; ``tests/parity`` holds them against git."""

from __future__ import annotations

import re

import pytest

from git_zdev.evidence.rules.drivers import built_in


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
