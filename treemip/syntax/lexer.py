"""The grammar's contextual lexer, its scanners made when they are wanted."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import copy
from typing import TYPE_CHECKING

from lark.exceptions import UnexpectedCharacters
from lark.lexer import AbstractBasicLexer, BasicLexer, ContextualLexer, LexerState, Token

if TYPE_CHECKING:
    from lark.common import LexerConf
    from lark.parsers.lalr_parser_state import ParserState


class LazyLexer(ContextualLexer):
    """The tokens of lark's contextual lexer, from one scanner wherever that is enough.

    lark compiles a scanner for each set of terminals that some state of the parser accepts, 130
    here, so that a word may be a keyword in one place and a name in another. That takes longer
    than to parse a spec. One scanner of all terminals finds the same token whenever the state
    accepts what it finds: terminals are tried in one order, and those that come before it fail in
    any selection of them. Only otherwise the state's own scanner is made and asked.
    """

    def __init__(
        self,
        conf: LexerConf,
        states: dict[int, Collection[str]],
        always_accept: Collection[str] = (),
    ) -> None:
        conf = copy(conf)
        conf.skip_validation = True  # the terminals are those of tested tables
        self.accepts = states
        self.root_lexer = BasicLexer(conf)
        self.lexers = _Lexers(conf, states)

    def lex(self, lexer_state: LexerState, parser_state: ParserState) -> Iterator[Token]:
        counter = lexer_state.line_ctr
        while True:
            last = lexer_state.last_token
            place = counter.char_pos, counter.line, counter.column, counter.line_start_pos
            try:
                token = self.root_lexer.next_token(lexer_state, parser_state)
                fits = token.type in self.accepts[parser_state.position]
            except EOFError:
                return
            except UnexpectedCharacters:
                fits = False
            if not fits:
                lexer_state.last_token = last
                counter.char_pos, counter.line, counter.column, counter.line_start_pos = place
                token = next(super().lex(lexer_state, parser_state))
            yield token


class _Lexers(dict[int, AbstractBasicLexer]):
    """The lexer of each state's terminals; states that accept the same ones share it."""

    def __init__(self, conf: LexerConf, states: dict[int, Collection[str]]) -> None:
        super().__init__()
        self._conf, self._states = conf, states
        self._made: dict[frozenset[str], AbstractBasicLexer] = {}

    def __missing__(self, state: int) -> AbstractBasicLexer:
        wanted = frozenset([*self._states[state], *self._conf.ignore])
        if wanted not in self._made:
            known = self._conf.terminals_by_name
            conf = copy(self._conf)
            conf.terminals = [known[name] for name in wanted if name in known]
            self._made[wanted] = BasicLexer(conf)
        self[state] = self._made[wanted]
        return self[state]
