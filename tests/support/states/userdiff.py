"""Hunk headings: Git's default, its built-in drivers, and configured patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.states.repo import BLANKS, lines, numbered, state, states

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.states.repo import StateRepo

_HEADS: dict[str, str] = {
    "ada": """
procedure Hello is
   function Sum (A, B : Integer) return Integer is
  package body Stack is
protected type Lock is
task body Worker is
TASK Type Upper is
procedure Instance is new Generic_Thing;
function X renames Y;
  type Colour is separate
   begin
proceduren
""",
    "bash": """
function plain {
function with_parens() {
short() {
  indented () {
name-with-dashes() {
spaced  (  )  {
function brace_below
body_is_test() [[ $1 ]]
body_is_arith() (( x ))
function no_body ( echo hi )
sub() ( echo hi )
not a function
echo "f() {"
if [ x ]; then
function f { :; }
\tfunction tabbed {
""",
    "bibtex": """
@article{knuth,
@book(lamport,
  @misc{ indented,
@string{ x = "y" }
@comment
author = {Someone},
@inproceedings {spaced,
""",
    "cpp": """
int main(void)
static const char *name(int x)
class Widget : public Base
struct point {
namespace a::b {
template <typename T>
void Widget::draw() const
Widget::~Widget()
Widget::Widget()
operator bool() const
  indented(void)
label:
public:
default:
private :
int x = 3;
typedef struct foo bar;
extern "C" {
\tint tabbed(void)
#define MACRO(x) x
const int forward(int);
auto f() -> int
bool operator==(const A &a)
::global::call()
enum colour { red };
__attribute__((x)) void f(void)
""",
    "csharp": """
public class Widget : Base
\tprivate static async Task<int> RunAsync(string name)
    public int Count { get; set; }
namespace A.B.C
    internal sealed class Inner
    protected override void Draw()
    public Widget(int x) : base(x)
        return Compute(x);
        if (x) {
    else
        foreach (var x in y)
    public static bool operator ==(A a, B b)
struct Point
interface IThing
enum Colour
    static void Main(string[] args)
        var x = new Thing();
        using (var x = y)
    int Plain(int a)
    public string this[int i]
        await Foo();
    void Ignored();
delegate void Handler(int x);
        case Colour
        case Shape(int a)
        default Case
""",
    "css": """
body {
.class > a:hover
#id,
@media screen {
@font-face
:root {
  color: red;
    .nested {
::selection {
a { color: red; }
\tfont-family: x;
div, p
--custom: 1;
color: blue;
[attr] {
""",
    "dts": """
/ {
&uart0 {
\tcpu@0 {
label: node@1 {
\tlabel2: node {
\tcompatible = "x";
&{/path} {
/ { x = <1>;
/include/ "x"
#include <x>
\tstatus = "okay"; // {
\tname-with,comma@1f0 {
 soc: soc { };
/* comment */ x {
\tdelete;
""",
    "elixir": """
defmodule A.B do
  def run(x) do
  defp private(x), do: x
  defmacro m(x) do
  defmacrop n(x) do
  defimpl P, for: X do
  defprotocol P do
  defguard is_x(a) when a
  defdelegate f(x), to: Y
  test "does things" do
  x = 1
  if x do
  defstruct [:a]
  defexception [:a]
define x
  defoverridable f: 1
  describe "x" do
  def
  defguardp y(a)
  defn z(a) do
""",
    "fortran": """
program hello
      SUBROUTINE FOO(X)
  integer function bar(x)
  module things
  end module things
  recursive subroutine r()
  pure elemental real function f(x)
C comment subroutine x
* star comment
! bang program
  type(thing) function g()
  block data init
  double precision function d()
  interface subroutine
  character(len=*) function s()
  x = function_call(y)
  submodule (a) b
  module procedure p
  module function q(x)
  contains
      REAL*8 FUNCTION H(X)
""",
    "fountain": """
INT. HOUSE - DAY
EXT. GARDEN - NIGHT
INT./EXT. CAR - DAY
I/E CAR
EST. CITY
.FORCED HEADING
..NOT A HEADING
SALLY
int house
> centred <
 INT. indented
ext/int. boat
INT
E/I HOUSE
INT HOUSE
""",
    "golang": """
func main() {
func (w *Widget) Draw(x int) error {
type Point struct {
type Reader interface {
type Alias = int
var x = func() {
\tfunc inner() {
const x = 1
package main
func bodyless(x int)
type List[T any] struct {
func  spaced () {
import (
func one() int { return 1 }
type Short struct{
""",
    "html": """
<h1>Title</h1>
  <h2 class="x">Sub</h2>
<h6>six</h6>
<h7>seven</h7>
<p>text <h3>inline</h3></p>
<div>
<H1>upper</H1>
<hr>
<h2
\t<h4>tab</h4>
<h1 >
<h1
""",
    "java": """
public class Main extends Base {
    private static int compute(int x) throws E {
    public <T> List<T> generic(T t) {
    @Override
        return compute(x);
        new Thing(x) {
        throw new X();
    int[] array(int n)
interface I {
enum E { A }
record R(int a) {
    public Main(int x) {
        if (x) {
        else if (y) {
    void inner();
    abstract String s(int x);
@interface A {
    sealed class S permits T {
    non-sealed class U {
    protected Map<String, List<Integer>> map() {
    static final int X = 3;
        call(x);
        foo.bar(x);
    synchronized void y()
        int z = f(x);
abstract class Z<T extends A & B> {
public sealed abstract class SS {
""",
    "kotlin": """
class Main(val x: Int) : Base() {
    fun run(x: Int): Int {
    private suspend fun go() =
interface I {
object Singleton {
data class D(val a: Int)
    companion object {
    override fun x() {
    inline fun <reified T> y() {
typealias X = Y
    val x = fun() {
    init {
enum class E {
sealed interface S
    fun
    @JvmStatic fun z() {
internal class W
    var y: Int
fun String.ext() {
fun interface F {
annotation class A
""",
    "markdown": """
# One
## Two
 ### three with a space
   ###### six
    # four spaces
####### seven
#no space
Setext
======
Other
------
#
# trailing #
\t# tab
text # not
- # list
""",
    "matlab": """
function y = f(x)
classdef Widget < handle
%% Section
% comment
##  octave section
  function inner(x)
    methods (Static)
properties
end
%%% three
%%
### x
function
functional
classdefx
""",
    "objc": """
- (void)draw;
+ (instancetype)shared
- (id)initWithX:(int)x y:(int)y {
@implementation Widget
@interface Widget : NSObject
@end
@protocol P
@property (x) int y;
static int helper(int x)
int main(int argc, char *argv[]) {
  [self draw];
return x;
if (x) {
@class Foo;
@implementation Widget (Category)
-draw {
void f(void);
    case 1:
else
do {
\tint y(void) {
""",
    "pascal": """
program Hello;
unit Things;
procedure Run(x: Integer);
function Sum(a, b: Integer): Integer;
constructor TWidget.Create;
destructor TWidget.Destroy;
interface
implementation
initialization
finalization
  TWidget = class(TObject)
  procedure indented;
class function F: Integer;
  TRec = record
type
begin
class procedure G;
  TI = interface
operator
PROCEDURE upper;
  TW = class
  x = classy
""",
    "perl": """
sub plain {
  sub indented {
package A::B;
package A::C {
=head1 NAME
=item x
BEGIN {
END{
sub brace_below
sub proto($$) {
sub attr : lvalue {
sub declared;
my $x = sub {
=cut
AUTOLOAD {
DESTROY {
subx {
sub with # comment
__END__
=pod
UNITCHECK { }
package
sub A::B::qualified {
INIT {
CHECK {
sub sig ($x, $y = 1) {
""",
    "php": """
function plain() {
    public static function s($x) {
class Widget extends Base {
abstract class A {
final class F {
interface I {
trait T {
    private function p() {
    $x = function () {
namespace A\\B;
    protected abstract function q();
enum E: string {
    case X = 1;
final readonly class R {
    function &ref() {
  class Indented {
    public $property;
    final public function fp() {
    const X = 1;
""",
    "python": """
def plain(x):
class Widget(Base):
    async def go(self):
    def inner(self) -> int:
@decorator
  class Nested:
x = lambda: 1
if x:
\tdef tabbed():
define = 1
classes = 2
async  def spaced():
def
async with x:
class
""",
    "ruby": """
def plain
class Widget < Base
module A
  def self.build(x)
  class << self
    def x?
def_delegators :a
classy
  private def y
    module_function
if x
describe "x" do
\tdef tabbed
class
  end
""",
    "rust": """
fn main() {
pub fn public(x: i32) -> i32 {
    pub(crate) async fn go() {
impl Widget {
impl<T> Trait for Widget<T> {
trait T {
struct S;
pub enum E {
mod m {
macro_rules! x {
unsafe impl Send for X {}
    const fn c() {}
    let x = 1;
extern "C" fn e() {
type X = Y;
    union U {
pub(in a::b) fn z() {
const X: i32 = 1;
use x::y;
static S: i32 = 1;
unsafe fn u() {
    fn inner<'a>(x: &'a str) {
default fn d() {}
macro m() {
""",
    "scheme": """
(define (f x)
(define x 1)
(define-syntax m
  (define inner 1)
(library (a b)
(module m racket
(let ((x 1))
(define-record-type p
(struct s (a))
(class object%
[define (bracket x)
(defun no)
; (define comment)
(define-values (a b)
(define* (opt x)
(defined x)
(lambda (x)
\t(define (tabbed x)
(struct: x)
(define/public (m))
(local (x))
(export x)
(provide x)
(begin
(unit x)
""",
    "tex": r"""
\section{One}
\subsection{Two}
\chapter{X}
\part{P}
\subsubsection*{Starred}
\paragraph{p}
\begin{figure}
\item x
  \section{indented}
text \section{inline}
\sectionmark{x}
\subparagraph{sp}
""",
    "ini": """
[section]
  [indented]
[section "sub"]
key = value
; [comment]
[open
\t[tabbed] ; x
""",
    "r": """
f <- function(x) {
  g <- function(y) {
h = function(z) z
f = 1
'quoted' <- function(x)
""",
}


def _around(heads: Sequence[str], word: str) -> str:
    """Each heading, with a change below it that is far enough away for its own hunk."""
    text: list[str] = []
    for n, head in enumerate(heads):
        filler = [f"  . {n} {k}" for k in range(14)]
        filler[8] = f"  . {word} {n}"
        text += [head, *filler]
    return lines(*text)


@states(driver=list(_HEADS))
def built_in_driver(repo: StateRepo, driver: str) -> None:
    heads = _HEADS[driver].removeprefix("\n").removesuffix("\n").split("\n")
    repo.base({".gitattributes": f"*.src diff={driver}\n", "a.src": _around(heads, "old")})
    repo.write("a.src", _around(heads, "new"))


@states(driver=["default", *_HEADS])
def headings_without_a_driver(repo: StateRepo, driver: str) -> None:
    """The same texts under Git's default: a line that starts with a letter, ``_`` or ``$``."""
    heads = (_HEADS.get(driver) or "\n".join(_DEFAULT)).strip("\n").split("\n")
    repo.base({"a.txt": _around(heads, "old"), "b.c": _around(heads[::-1], "old")})
    repo.write("a.txt", _around(heads, "new"))
    repo.write("b.c", _around(heads[::-1], "new"))


_DEFAULT = (
    "letter", "_underscore", "$dollar", "1digit", "élan", " space", "\ttab", "Upper   ", "-dash",
    "x" * 79, "y" * 80, "z" * 81, "w" * 79 + " ", "v" * 100, "a\tb\tc", "trailing\t \t", "cr\r",
    "漢字", "a" * 78 + "é", "a" * 79 + "é", "ctrl\x01", "@@ -1 +1 @@", "$", "_",
)  # fmt: skip

_PATTERNS: dict[str, tuple[str, str]] = {
    "extended": ("xfuncname", "^(begin|start) [a-z]+"),
    "basic": ("funcname", "^\\(begin\\|start\\) [a-z]*"),
    "group": ("xfuncname", "^[ \t]*(task .*)$"),
    "two-groups": ("xfuncname", "^(x)?(start [a-z]+)"),
    "negated": ("xfuncname", "!^start no\n^start .*"),
    "several": ("xfuncname", "^begin .*\n!task skip\n^[ \t]*task .*"),
    "case": ("xfuncname", "^BEGIN"),
    "classes": ("xfuncname", "^[[:alpha:]_][[:alnum:]_]*[[:space:]]+[[:digit:]]+"),
    "braces": ("xfuncname", "^s{1}ta(r|R)t.{2,}o"),
    "empty-match": ("xfuncname", "^(x*)"),
    "alternatives-longest": ("xfuncname", "^(start|start one|start one two)"),
    "basic-star": ("funcname", "^ *task"),
    "last-not-negated": ("xfuncname", "!^begin\n^[a-z]"),
    "word-edge": ("xfuncname", "\\<two\\>"),
    "dot": ("xfuncname", "^.e.*"),
    "back-reference": ("funcname", "^\\([a-z]\\).*\\1$"),
}


@states(pattern=list(_PATTERNS))
def configured_pattern(repo: StateRepo, pattern: str) -> None:
    kind, expression = _PATTERNS[pattern]
    heads = (
        "begin one", "start no", "start one two", "  task indented", "\ttask skip", "BEGIN x",
        "word 12", "start now", "other", "abba", "one two", "twofold", "é start", "",
    )  # fmt: skip
    repo.write(".gitattributes", "*.src diff=mine\n")
    repo.config(f"diff.mine.{kind}", expression)
    repo.base({"a.src": _around(heads, "old")})
    repo.write("a.src", _around(heads, "new"))


@states(last=["funcname", "xfuncname"])
def both_kinds_of_pattern(repo: StateRepo, last: str) -> None:
    """The one that is configured last counts, of whichever kind."""
    heads = ("one", "two", "(one|two)", "\\(x\\|two\\)")
    repo.write(".gitattributes", "*.src diff=mine\n")
    patterns = {"funcname": "^\\(x\\|two\\)", "xfuncname": "^(one|y)"}
    for kind in sorted(patterns, key=lambda kind: kind == last):
        repo.config(f"diff.mine.{kind}", patterns[kind])
    repo.base({"a.src": _around(heads, "old")})
    repo.write("a.src", _around(heads, "new"))


@states(pattern=["^(.{6})", "^([[:alpha:]]+)", "^([^a-z]+)", "^\\w+"])
def pattern_on_characters(repo: StateRepo, pattern: str) -> None:
    """Characters are those of UTF-8, as in the locale that Git is run in here."""
    heads = ("héééééé x", "Ünder", "漢字かな交じり文", "abc")
    repo.write(".gitattributes", "*.src diff=mine\n")
    repo.config("diff.mine.xfuncname", pattern)
    repo.base({"a.src": _around(heads, "old")})
    repo.write("a.src", _around(heads, "new"))


@state
def built_in_driver_overridden(repo: StateRepo) -> None:
    repo.write(".gitattributes", "*.py diff=python\n")
    repo.config("diff.python.xfuncname", "^x.*")
    heads = ("def f():", "x = 1", "class A:")
    repo.base({"a.py": _around(heads, "old")})
    repo.write("a.py", _around(heads, "new"))


@states(suffix=["c", "py", "go", "rs", "md", "java", "rb", "css", "html", "tex", "php", "sh"])
def suffix_alone(repo: StateRepo, suffix: str) -> None:
    """Without an attribute, the file's name does not select a driver."""
    heads = ("int f(void)", "  def g():", "# H", "\tfn x() {", "class A")
    repo.base({f"a.{suffix}": _around(heads, "old")})
    repo.write(f"a.{suffix}", _around(heads, "new"))


@state
def driver_settings_that_only_present(repo: StateRepo) -> None:
    """A driver's ``command``, ``textconv``, ``wordRegex`` and ``algorithm`` are never used."""
    repo.write(".gitattributes", "*.src diff=mine\n")
    repo.config("diff.mine.wordRegex", "x+")
    repo.config("diff.mine.xfuncname", "^b.*")
    heads = ("begin", "end")
    repo.base({"a.src": _around(heads, "old")})
    repo.write("a.src", _around(heads, "new"))


@state
def heading_from_before_the_hunk(repo: StateRepo) -> None:
    """The heading never comes from the hunk's own lines, nor from context that repeats."""
    text = [
        "first",
        *("  x" for _ in range(9)),
        "second",
        "  y",
        "third",
        *("  z" for _ in range(9)),
    ]
    repo.base({"a.txt": lines(*text)})
    changed = list(text)
    changed[12] = "THIRD"
    changed[20] = "  zz"
    repo.write("a.txt", lines(*changed))


@states(rule=["", "diff=python", "diff=own"], end=["FF", "VT", "tab", "CR", "FF CR"])
def heading_that_ends_in_blanks(repo: StateRepo, rule: str, end: str) -> None:
    """Git's idea of a blank is narrower than C's."""
    head = f"def f(x):{BLANKS[end]}\n"
    repo.config("diff.own.xfuncname", "^def .*$")
    repo.base({".gitattributes": f"* {rule}\n", "a.txt": head + numbered(12)})
    repo.write("a.txt", head + numbered(12, {10: "ten"}))


@state
def heading_of_conflict_markers(repo: StateRepo) -> None:
    repo.base({"a.txt": _around(("<<<<<<< a", "=======", ">>>>>>> b"), "old")})
    repo.write("a.txt", _around(("<<<<<<< a", "=======", ">>>>>>> b"), "new"))
