// The .tree language for tree-sitter: its structure, for colours, folding, indents and scopes. What
// may stand where is said by grammars/tree.lark, which refuses more than this grammar does.

const words = require("./words.json");

const commas = (rule) => seq(rule, repeat(seq(",", rule)));
const relation = choice("<=", ">=", "<", ">", "!=", "=");

/** Indices, and symbols before and behind them. */
const texts = ($) => [repeat($.string), optional(seq($.domain, repeat($.string)))];

const LEVEL = { or: 1, and: 2, not: 3, relation: 4, sum: 5, product: 6, minus: 7, power: 8 };

module.exports = grammar({
  name: "treemip",

  word: ($) => $.identifier,
  extras: ($) => [/\s/, $.comment],

  rules: {
    file: ($) => repeat($._statement),

    _statement: ($) =>
      choice(
        $.formulation, $.tree_name, $.use, $.data, $.strategy, $.topology, $.split,
        $.param, $.set, $.tree, $.var, $.let, $.concept, $.term,
        $.objective, $.subject_to, $.cut, $.drop, $.requirement, $.route, $.predict,
      ),

    formulation: ($) =>
      seq("formulation", field("name", $.identifier), "splits", field("kind", $.identifier),
        optional(seq($.string, optional($.string))), ";"),
    tree_name: ($) => seq("tree", field("name", $.identifier), ";"),
    use: ($) => seq("use", field("module", $._module), ";"),
    split: ($) =>
      seq("split", field("kind", $.identifier),
        optional(seq("by", field("module", $._module), optional($.arguments))), ";"),
    topology: ($) =>
      seq("topology", field("kind", $.identifier), optional($.arguments), optional($.string), ";"),
    _module: ($) => choice($.identifier, $.string),

    data: ($) => seq("data", field("file", $.string), choice(";", $.settings)),
    strategy: ($) => seq("strategy", $.settings),
    settings: ($) => seq("{", repeat($.setting), "}"),
    setting: ($) => seq(field("key", $.identifier), optional(commas($._words)), ";"),
    _words: ($) => repeat1(choice($.word, $.string, seq(optional("-"), $.number))),
    word: ($) => seq($.identifier, optional($.arguments)),

    param: ($) =>
      seq("param", field("name", $.identifier), ...texts($), "=", field("value", $._expression),
        repeat($.string), ";"),
    set: ($) =>
      seq("set", field("name", $.identifier), optional($.domain), "=", field("value", $._set), ";"),
    tree: ($) =>
      seq("tree", field("name", $.identifier), optional($.domain), "=",
        field("value", $._expression), ";"),
    var: ($) =>
      seq("var", field("name", $.identifier),
        repeat(choice($.string, $.domain, field("kind", choice(...words.kinds)),
          commas($.bound), $._means)), ";"),
    bound: ($) => seq(relation, $._operand),
    let: ($) =>
      seq("let", field("name", $.identifier), ...texts($), "=", field("value", $._expression), ";"),
    concept: ($) =>
      seq("concept", field("name", $.identifier), optional($.domain), repeat($.string),
        optional($._means),
        optional(seq("=", field("value", choice($._expression, $.default_block)))), ";"),
    default_block: ($) => seq("default", "{", repeat($._statement), "}"),
    term: ($) =>
      seq("term", field("name", $.identifier), optional($.parameters), "=",
        field("value", $._expression), ";"),
    parameters: ($) => seq("(", commas($.parameter), ")"),
    parameter: ($) => seq(field("name", $.identifier), optional(seq("=", $.number))),
    _means: ($) => seq("means", field("means", $._expression)),

    objective: ($) => seq($._sense, optional($._label), $._expression, repeat($.later), ";"),
    later: ($) => seq("then", optional($._sense), optional($._label), $._expression),
    _sense: ($) => field("sense", choice(...words.senses)),
    _label: ($) => seq(field("name", $.identifier), optional($.string), ":"),

    subject_to: ($) => seq("subject", "to", repeat1($.constraint)),
    cut: ($) => seq("cut", $.constraint),
    constraint: ($) =>
      seq(field("name", $.identifier), optional($.string), optional($.domain), ":",
        field("body", $._body), ";"),
    _body: ($) => choice($._condition, $.implication, $.local_set),
    implication: ($) =>
      seq(field("guard", $._condition), "==>", field("row", $._condition),
        optional(seq("by", field("method", $.method)))),
    method: ($) => seq($.identifier, optional(seq("(", $._expression, ")"))),
    local_set: ($) =>
      seq("let", field("name", $.identifier), "=", field("value", $._set), "in", $._body),

    drop: ($) =>
      seq("drop", commas(field("row", $.identifier)),
        optional(choice(
          seq("when", commas(field("row", $.identifier))),
          seq("unless", commas($.press)),
        )), ";"),
    press: ($) => seq($.identifier, choice(...words.presses)),
    requirement: ($) =>
      prec(1, seq(choice(...words.requires), optional($.domain), $._condition, "else",
        $.string, ";")),

    route: ($) =>
      seq("route", "left",
        choice(seq("when", $._condition), seq("with", "probability", $._expression)), ";"),
    predict: ($) =>
      seq("predict", choice("class", "distribution", "value"), $._expression, ";"),

    // Indices, and what is written like them.
    domain: ($) => seq("{", optional(commas($.binder)), optional(seq(":", $._condition)), "}"),
    binder: ($) =>
      seq(choice(field("name", $.identifier), seq("(", commas(field("name", $.identifier)), ")")),
        "in", field("set", $._set)),
    _set: ($) => choice($._expression, $.range),
    range: ($) => seq($._operand, "..", $._operand),
    texts: ($) => seq("{", commas($.string), "}"),

    // Conditions and expressions.
    _condition: ($) => choice($._expression, $.comparison, $.member, $.not, $.and, $.or),
    comparison: ($) => prec.left(LEVEL.relation, seq($._condition, relation, $._expression)),
    member: ($) =>
      prec.left(LEVEL.relation, seq($._condition, optional("not"), "in", $._set)),
    not: ($) => prec(LEVEL.not, seq("not", $._condition)),
    and: ($) => prec.left(LEVEL.and, seq($._condition, "and", $._condition)),
    or: ($) => prec.left(LEVEL.or, seq($._condition, "or", $._condition)),

    _expression: ($) => choice($.choice, $._operand),
    choice: ($) =>
      prec.right(seq("if", $._condition, "then", $._expression, "else", $._expression)),
    _operand: ($) =>
      choice($.binary, $.negative, $.reduction, $.group, $.tuple, $.domain, $.texts, $.name,
        $.number, $.string),
    binary: ($) =>
      choice(
        prec.left(LEVEL.sum, seq($._operand, choice("+", "-"), $._operand)),
        prec.left(LEVEL.product, seq($._operand, choice("*", "/"), $._operand)),
        prec.right(LEVEL.power, seq($._operand, "^", $._operand)),
      ),
    negative: ($) => prec(LEVEL.minus, seq("-", $._operand)),
    reduction: ($) =>
      prec.right(LEVEL.product,
        seq(field("operator", choice(...words.reductions)), $.domain,
          field("body", $._operand))),
    group: ($) => seq("(", $._condition, ")"),
    tuple: ($) => seq("(", $._expression, repeat1(seq(",", $._expression)), ")"),

    name: ($) =>
      seq(choice($.identifier, alias(choice(...words.reductions), $.identifier)),
        optional($.arguments), optional($.subscript)),
    subscript: ($) => seq("[", commas(choice($._expression, $.all)), "]"),
    all: () => "*",
    arguments: ($) =>
      seq("(", optional(commas(choice($.named, $.keyed, $._expression))), ")"),
    named: ($) => seq(field("name", $.identifier), "=", $._expression),
    keyed: ($) => seq(choice($.number, $.string), ":", $._expression),

    identifier: () => /[\p{L}\p{Nl}\p{No}_][\p{L}\p{N}_]*/,
    number: () => /[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/,
    string: () => token(seq('"', repeat(choice(/[^"\\\n]/, /\\["\\]/)), '"')),
    comment: () => token(seq("#", /[^\n]*/)),
  },
});
