/** Small changes of a source text that a test should notice (`npm run mutants`). */
import { parseAst } from 'rolldown/parseAst'

const OPERATORS = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===', '&&': '||', '||': '&&' }
const METHODS = { some: 'every', every: 'some', asc: 'desc', desc: 'asc' }
/** Calls whose numbers bound a text or a page, which is not what this is about. */
const BOUNDS = new Set(['max', 'min', 'length', 'slice', 'limit', 'padEnd', 'padStart', 'split'])

/** Each pattern with what its matches become, inside of SQL. */
const SQL_CHANGES = [
  [/\bAND\b/g, 'OR'],
  [/\bOR\b/g, 'AND'],
  [/\bNOT EXISTS\b/g, 'EXISTS'],
  [/\bIS NOT NULL\b/g, 'IS NULL'],
  [/\bIS NULL\b/g, 'IS NOT NULL'],
  [/\b(?:AND|WHERE) \w+\.\w+(?= (?:AND|ORDER|GROUP)\b|\)|\s*$)/g, (found) => `${found.split(' ')[0]} true`],
  [/(?<=\s)<=(?=\s)/g, '<'],
  [/(?<=\s)<(?=\s)/g, '<='],
  [/(?<=\s)>=(?=\s)/g, '>'],
  [/(?<=\s)>(?=\s)/g, '>='],
  [/(?<=\s)<>(?=\s)/g, '='],
  [/\bDESC\b/g, 'ASC'],
]

/**
 * @param {string} text TypeScript
 * @returns {{ start: number, end: number, to: string }[]} what stands between `start` and `end`
 * becomes `to`
 */
export function mutantsOf(text) {
  const found = []
  const change = (start, end, to) => found.push({ start, end, to })
  visit(parseAst(text, { lang: 'ts' }), undefined, (node, parent) => {
    const code = ({ start, end }) => text.slice(start, end)
    const operator = ({ left, right, operator }) => {
      const start = left.end + text.slice(left.end, right.start).indexOf(operator)
      change(start, start + operator.length, OPERATORS[operator])
    }
    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression')
      change(node.test.start, node.test.end, `!(${code(node.test)})`)
    if ((node.type === 'LogicalExpression' || node.type === 'BinaryExpression') && OPERATORS[node.operator])
      operator(node)
    if (node.type === 'Literal' && typeof node.value === 'boolean') change(node.start, node.end, String(!node.value))
    if (node.type === 'Literal' && typeof node.value === 'number' && !BOUNDS.has(calledName(parent)))
      change(node.start, node.end, String(node.value + 1))
    const other = node.type === 'CallExpression' && METHODS[calledName(node)]
    // A function that the file doesn't import would be noticed by its absence alone.
    if (other && (node.callee.property || text.includes(`${other}(`))) {
      const name = node.callee.property ?? node.callee
      change(name.start, name.end, other)
    }
    if (node.type === 'CallExpression' && calledName(node) === 'and' && node.arguments.length > 1)
      for (const condition of node.arguments) change(condition.start, condition.end, 'undefined')
    if (node.type === 'TaggedTemplateExpression' && /^sql\b/.test(code(node.tag)))
      for (const { start, end } of node.quasi.quasis)
        for (const [pattern, to] of SQL_CHANGES)
          for (const match of text.slice(start, end).matchAll(pattern))
            change(
              start + match.index,
              start + match.index + match[0].length,
              typeof to === 'string' ? to : to(match[0]),
            )
  })
  return found
}

/** The last name of what is called: `and` of `and(…)`, `max` of `z.string().max(…)`. */
function calledName(node) {
  if (node?.type !== 'CallExpression') return undefined
  return node.callee.property?.name ?? node.callee.name
}

/** Every node but types, which decide nothing when the program runs. */
function visit(node, parent, look) {
  if (!node || typeof node.type !== 'string' || /^TS(?!AsExpression|Satisfies|NonNull)/.test(node.type)) return
  look(node, parent)
  for (const [key, value] of Object.entries(node)) {
    if (key === 'typeAnnotation' || key === 'typeArguments' || key === 'typeParameters') continue
    for (const child of Array.isArray(value) ? value : [value])
      if (child && typeof child === 'object') visit(child, node, look)
  }
}
