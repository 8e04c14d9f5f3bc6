/** Small changes of a source text that a test should notice (`npm run mutants`). */
import { parseAst } from 'rolldown/parseAst'

const OPERATORS = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===', '&&': '||', '||': '&&' }
/** A moment that is met to the millisecond: no test comes so close, so the order turns round. */
const ROUND = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' }
const CLOCK = /\bDate\.now\(\)|\bnew Date\(\)|\bperformance\.now\(\)/
const METHODS = new Map(Object.entries({ some: 'every', every: 'some', asc: 'desc', desc: 'asc' }))

/** One more or less of so many, or of a time, is no other rule: such numbers are doubled. */
const LARGE = 1000
const TIMES = /_(MS|SECONDS|MINUTES|HOURS|DAYS)$/

/** Calls whose numbers bound a text, a page or chance, or say when to look again. */
const BOUNDS =
  /^(randomInt|max|min|length|slice|limit|padEnd|padStart|split|setTimeout|setInterval|randomBytes|varchar)$/
/** Calls whose arguments are for a log, or words of a refusal: no rule is decided in them. */
const WORDS = /^(trace|debug|info|warn|error|fatal|invalid|refused|forbidden|notFound|Error|TypeError|translate|t)$/
/** Properties that describe a value to people and programs, and decide nothing. */
const DESCRIPTIONS = /^(summary|description|label|help_text|title|message|errors|schema|openapi|takes|rows)$/

/** Each pattern with what its matches become, inside of SQL. */
const SQL_CHANGES = [
  [/\bAND\b/g, 'OR'],
  [/\bOR\b/g, 'AND'],
  [/\bNOT EXISTS\b/g, 'EXISTS'],
  [/\bIS NOT NULL\b/g, 'IS NULL'],
  [/\bIS NULL\b/g, 'IS NOT NULL'],
  [/\b(?:AND|WHERE) \w+\.\w+(?= (?:AND|ORDER|GROUP)\b|\)|\s*$)/g, (found) => `${found.split(' ')[0]} true`],
  [/(?<=now\(\) )[<>]=?(?=\s)|(?<=\s)[<>]=?(?= now\(\))/g, (found) => ROUND[found]],
  [/(?<=\s)(?<!now\(\) )[<>]=?(?=\s)(?! now\(\))/g, (found) => OPERATORS[found]],
  [/(?<=\s)<>(?=\s)/g, '='],
  [/\bDESC\b/g, 'ASC'],
]

/**
 * @typedef {object} Mutant
 * @property {number} start of what changes
 * @property {number} end
 * @property {string} to what is there then
 * @property {{ start: number, end: number }} declaration of the file in which it stands
 * @property {{ start: number, end: number }} host the smallest expression around it that may be
 * replaced by another
 * @property {boolean} isStatement whether the host begins a statement
 */

/**
 * @param {string} text TypeScript
 * @returns {Mutant[]}
 */
export function mutantsOf(text) {
  const found = []
  visit(parseAst(text, { lang: 'ts' }), [], (node, parents) => {
    const code = ({ start, end }) => text.slice(start, end)
    const change = (start, end, to, host = node) => {
      const { start: from, end: until } = wholeChain(host, parents)
      const isStatement = parents.some((one) => one.type === 'ExpressionStatement' && one.start === from)
      const [, { start: first, end: last } = node] = parents
      const declaration = { start: first, end: last }
      found.push({ start, end, to, declaration, host: { start: from, end: until }, isStatement })
    }
    const { type } = node
    // A node with an operator of its own is tried by that.
    if ((type === 'IfStatement' || type === 'ConditionalExpression') && !(node.test.operator in OPERATORS))
      change(node.test.start, node.test.end, `!(${code(node.test)})`, node.test)
    if ((type === 'LogicalExpression' || type === 'BinaryExpression') && OPERATORS[node.operator]) {
      const start = node.left.end + text.slice(node.left.end, node.right.start).indexOf(node.operator)
      const isOfClock = node.operator in ROUND && CLOCK.test(code(node))
      change(start, start + node.operator.length, (isOfClock ? ROUND : OPERATORS)[node.operator])
    }
    if (type === 'Literal' && typeof node.value === 'boolean') change(node.start, node.end, String(!node.value))
    if (type === 'Literal' && typeof node.value === 'number' && decides(node, parents))
      change(node.start, node.end, String(isLarge(node, parents) ? node.value * 2 : node.value + 1))
    const other = type === 'CallExpression' && METHODS.get(calledName(node))
    // A function that the file doesn't import would be noticed by its absence alone.
    if (other && (node.callee.property || text.includes(`${other}(`))) {
      const name = node.callee.property ?? node.callee
      change(name.start, name.end, other)
    }
    if (type === 'CallExpression' && calledName(node) === 'and' && node.arguments.length > 1)
      for (const { type, argument, start, end } of node.arguments)
        if (type === 'SpreadElement') change(argument.start, argument.end, '[]', argument)
        else change(start, end, 'undefined', { start, end })
    if (type === 'TaggedTemplateExpression' && /^sql\b/.test(code(node.tag)))
      for (const { start, end } of node.quasi.quasis)
        for (const [pattern, to] of SQL_CHANGES)
          for (const match of text.slice(start, end).matchAll(pattern)) {
            const from = start + match.index
            change(from, from + match[0].length, typeof to === 'string' ? to : to(match[0]))
          }
  })
  return found
}

/** In a product of numbers, such as the milliseconds of a day, the first is tried for all. */
function decides(node, parents) {
  const parent = parents.at(-1)
  if (parents.slice(-2).some(isOrder)) return false
  if (parent?.type === 'BinaryExpression' && parent.operator === '*' && parent.right === node) return false
  if ((parent?.type === 'Property' || parent?.type === 'PropertyDefinition') && parent.key === node) return false
  return !BOUNDS.test(calledName(parent))
}

function isLarge({ value }, parents) {
  const name = parents.findLast(({ type }) => type === 'VariableDeclarator')?.id.name
  return value >= LARGE || (value > 0 && TIMES.test(name))
}

/** `? -1 : 1`, of which the sign alone counts. */
function isOrder({ type, consequent, alternate }) {
  const size = (node) => (node?.type === 'UnaryExpression' ? node.argument : node)?.value
  return type === 'ConditionalExpression' && size(consequent) === 1 && size(alternate) === 1
}

/** The last name of what is called: `and` of `and(…)`, `max` of `z.string().max(…)`. */
function calledName(node) {
  if (node?.type !== 'CallExpression' && node?.type !== 'NewExpression') return undefined
  return node.callee.property?.name ?? node.callee.name
}

/** A call inside of `a?.b.some(c).d` can't be put in brackets without its chain. */
function wholeChain(host, parents) {
  let top = host
  for (const parent of parents.toReversed()) {
    if (parent.type === 'ChainExpression') return parent
    if (parent.object !== top && parent.callee !== top) return host
    top = parent
  }
  return host
}

/** Every node but types, which decide nothing when the program runs, and words. */
function visit(node, parents, look) {
  if (!node || typeof node.type !== 'string' || /^TS(?!AsExpression|Satisfies|NonNull)/.test(node.type)) return
  if (WORDS.test(calledName(node))) return
  if (node.type === 'Property' && DESCRIPTIONS.test(node.key.name)) return
  look(node, parents)
  for (const [key, value] of Object.entries(node)) {
    if (key === 'typeAnnotation' || key === 'typeArguments' || key === 'typeParameters') continue
    for (const child of Array.isArray(value) ? value : [value])
      if (child && typeof child === 'object') visit(child, [...parents, node], look)
  }
}
