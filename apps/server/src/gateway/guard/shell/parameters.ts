import type { ParameterExpansionPart, Word } from 'unbash'
import { unescaped } from './static-output.ts'
import { joined, type Variables } from './variables.ts'

/** Possible values of `$name`; undefined when the line does not say. */
export function valuesOfParameter(name: string, variables: Variables): readonly string[] | undefined {
  if (name === 'IFS') return variables.of(name) ?? [' ']
  if (name === '?' || name === '$' || name === '#') return ['0']
  const { positional, isShifted } = variables
  if (positional && (name === '@' || name === '*')) return [positional.join(' ')]
  if (positional && /^[1-9]$/.test(name)) {
    const first = Number(name) - 1
    return isShifted && positional.length > first ? positional.slice(first) : [positional[first] ?? '']
  }
  return variables.of(name)
}

/**
 * Possible values of `${…}`, words in it expanded by `textOf`; undefined when the line does not
 * say.
 */
export function valuesOfExpansion(
  part: ParameterExpansionPart,
  variables: Variables,
  textOf: (word: Word) => string,
): readonly string[] | undefined {
  const { operation, prefix, index } = part
  const known = index
    ? variables.elementsOf(part.parameter, textOf(index))
    : valuesOfParameter(part.parameter, variables)
  if (prefix === '!') return known?.flatMap((name) => variables.of(name) ?? [])
  if (prefix === '#') return known?.map((value) => String(value.length))
  if (!operation) return known
  switch (operation.type) {
    case 'Default': {
      const other = [textOf(operation.operand)]
      if (operation.operator.includes('=')) variables.assign(part.parameter, other)
      if (operation.operator.includes('+')) return known ? other : undefined
      return known ?? (operation.operator.includes('?') ? undefined : other)
    }
    case 'Slice': {
      const from = Number(textOf(operation.offset))
      const length = operation.length && Number(textOf(operation.length))
      if (Number.isNaN(from) || Number.isNaN(length ?? 0)) return undefined
      if (index && /[@*]/.test(index.text)) return variables.elementsFrom(part.parameter, from, length)
      return known?.map((value) => {
        const rest = value.slice(from)
        return length === undefined ? rest : rest.slice(0, length)
      })
    }
    case 'Replace': {
      const [pattern, replacement = ''] = [operation.pattern, operation.replacement].map((word) => textOf(word))
      const expression = pattern ? expressionOf(pattern, operation.operator === '//' ? 'gs' : 's') : undefined
      if (!expression || known?.some(isLong)) return undefined
      return known?.map((value) =>
        joined(
          value.replace(expression, () => replacement),
          '',
        ),
      )
    }
    case 'CaseModification': {
      const change = operation.operator.startsWith('^') ? 'toUpperCase' : 'toLowerCase'
      return known?.map((value) => inLetters(value, operation.operator, (one) => one[change]()))
    }
    case 'Remove': {
      const rest = known?.map((value) => withoutAffix(value, operation.operator, textOf(operation.operand)))
      return rest?.every((one) => one !== undefined) ? rest : undefined
    }
    case 'Transform':
      return transformed(known, textOf(operation.operand))
    case 'Unknown':
      return /^~~?$/.test(operation.operator)
        ? known?.map((value) => inLetters(value, operation.operator, otherLetter))
        : undefined
    default:
      return undefined
  }
}

/** By a doubled operator all letters are changed, otherwise the first. */
function inLetters(value: string, operator: string, change: (letter: string) => string): string {
  const end = operator.length === 2 ? value.length : 1
  return [...value.slice(0, end)].map(change).join('') + value.slice(end)
}

const otherLetter = (letter: string) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase())

/** `${x@E}` and its like; a shell that reads it as a command takes the quoted text for the same. */
function transformed(known: readonly string[] | undefined, operator: string): readonly string[] | undefined {
  if (operator === 'E') return known?.map(unescaped)
  if (operator === 'U') return known?.map((value) => value.toUpperCase())
  if (operator === 'L') return known?.map((value) => value.toLowerCase())
  if (operator === 'u') return known?.map((value) => inLetters(value, '^', (one) => one.toUpperCase()))
  return undefined
}

/** The shortest that a pattern takes away, or with a doubled operator the longest; undefined for one that is not followed. */
function withoutAffix(value: string, operator: string, pattern: string): string | undefined {
  const isStart = operator.startsWith('#')
  const expression = expressionOf(pattern, 's', '^', '$')
  if (!expression) return undefined
  if (isLong(value)) return undefined
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length)
  if (operator.length === 2) lengths.reverse()
  const length = lengths.find((one) => expression.test(isStart ? value.slice(0, one) : value.slice(value.length - one)))
  if (length === undefined) return value
  return isStart ? value.slice(length) : value.slice(0, value.length - length)
}

/** In longer values no pattern is looked for. */
const MAX_SEARCHED = 1024
const isLong = ({ length }: string) => length > MAX_SEARCHED
const SPECIAL = /[.+^${}()|\\\]/]/g

/** A pattern of a shell; undefined for one that is not followed. */
function expressionOf(pattern: string, flags: string, before = '', after = ''): RegExp | undefined {
  if (pattern.length > 64 || (pattern.match(/\*/g) ?? []).length > 2) return undefined
  const source = pattern.replace(/\[[!^]?[^\]]+\]|[*?[]|[^*?[]+/g, (token) => {
    if (token === '*') return '.*'
    if (token === '?') return '.'
    if (token.length > 2 && token.startsWith('[')) return token.replace(/^\[!/, '[^').replaceAll('\\', '\\\\')
    return token.replace(token === '[' ? /\[/ : SPECIAL, '\\$&')
  })
  try {
    return new RegExp(`${before}${source}${after}`, flags)
  } catch {
    return undefined
  }
}

/** Match of an expression in a value, and its groups; undefined for one that is not followed. */
export function foundBy(expression: string, value: string): string[] | undefined {
  if (expression.length > 64 || isLong(value)) return undefined
  try {
    return new RegExp(expression.replace(/["']/g, ''), 's').exec(value)?.map((group) => group ?? '')
  } catch {
    return undefined
  }
}
