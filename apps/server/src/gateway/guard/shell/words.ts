import { type ParsedScript, parse, type Word, type WordPart } from 'unbash'
import { expandBraces } from './braces.ts'
import { valuesOfExpansion, valuesOfParameter } from './parameters.ts'
import { TooMuch } from './reading-limits.ts'
import { combined, joined, type Variables } from './variables.ts'

/** Why something can't be said before it runs. */
export type Obscurity = 'variable' | 'substitution' | 'glob' | 'history' | 'input' | 'file' | 'syntax' | 'size'

/** A part of a line with an unknown value. */
export interface Unresolved {
  text: string
  why: Obscurity
}

/** Values of a word: one or more alternatives, each of any number of fields. */
export interface Expansion {
  alternatives: string[][]
  unresolved: Unresolved[]
}

/** Longest word with braces: each result is parsed. */
const MAX_BRACES = 4096

/** A word in which nothing is expanded. */
const PLAIN = /^[\w.,:@%+/-]*$/

/** Fields so far; the last is still open when text that follows belongs to it. */
interface Draft {
  fields: string[]
  isOpen: boolean
}

export interface Expanding {
  variables: Variables
  /** Output of a substitution, if it is known. */
  outputOf(script: ParsedScript): string | undefined
  /** So many characters are put together. Throws TooMuch. */
  spend(characters: number): void
}

/** `!` that an interactive shell replaces by earlier commands: not in single quotes, `$!`, `${!`, `[!`. */
const HISTORY = /(?<![$\\{[])![^\s=("']/

/**
 * Expands a word as a shell does: quotes and backslashes, braces, parameters, substitutions whose
 * output is plain, and the cutting of unquoted values into fields (POSIX.1-2024 §2.6). What can't be
 * said counts as empty, as an unset variable would be, and is named.
 */
export function expandWord(word: Word, expanding: Expanding): Expansion {
  const unresolved: Unresolved[] = []
  if (HISTORY.test(word.text.replace(/'[^']*'/g, ''))) unresolved.push({ text: word.text, why: 'history' })
  if (!word.parts) return { alternatives: withFolder(word, expanding.variables), unresolved }
  if (word.parts.some(({ type }) => type === 'BraceExpansion')) return expandEach(word, expanding, unresolved)
  let drafts: Draft[] = [{ fields: [], isOpen: false }]
  const join = (draft: Draft, value: string, isQuoted: boolean) => {
    expanding.spend(value.length + (draft.isOpen ? (draft.fields.at(-1) ?? '').length : 0))
    return added(draft, value, isQuoted, expanding.variables.separators)
  }
  for (const part of word.parts) {
    const values = valuesOf(part, expanding, unresolved)
    const isQuoted =
      part.type !== 'SimpleExpansion' && part.type !== 'ParameterExpansion' && part.type !== 'CommandExpansion'
    drafts = combined(
      drafts,
      values,
      (draft, value) => join(draft, value, isQuoted),
      () => unresolved.push({ text: word.text, why: 'size' }),
    )
  }
  return { alternatives: drafts.map(({ fields }) => fields), unresolved }
}

/** Folders that a tilde expands to. */
const FOLDERS = new Map([
  ['~', 'HOME'],
  ['~+', 'PWD'],
  ['~-', 'OLDPWD'],
])

/** Values of a word without quotes or expansions. */
function withFolder({ text, value }: Word, variables: Variables): string[][] {
  const [tilde = ''] = text.startsWith('~') ? text.split('/', 1) : []
  const folders = variables.of(FOLDERS.get(tilde) ?? '') ?? [tilde]
  return folders.map((folder) => [folder + value.slice(tilde.length)])
}

/** The one value of a word; with several, the first. */
export function textOf(word: Word, expanding: Expanding): string {
  return expandWord(word, expanding).alternatives[0]?.join(' ') ?? ''
}

function expandEach(word: Word, expanding: Expanding, unresolved: Unresolved[]): Expansion {
  if (word.text.length > MAX_BRACES) throw new TooMuch()
  let alternatives: string[][] = [[]]
  const { words, isCut } = expandBraces(word.text)
  if (isCut) unresolved.push({ text: word.text, why: 'size' })
  // Shells leave out empty words.
  for (const text of words.filter(Boolean)) {
    const fields = PLAIN.test(text) ? { alternatives: [[text]], unresolved: [] } : expandBraced(text, expanding)
    unresolved.push(...fields.unresolved)
    // Most have one value: copying for each would take time by the square of their number.
    const [only = []] = fields.alternatives
    if (fields.alternatives.length === 1) for (const list of alternatives) list.push(...only)
    else
      alternatives = combined(
        alternatives,
        fields.alternatives,
        (before, after) => [...before, ...after],
        () => unresolved.push({ text: word.text, why: 'size' }),
      )
  }
  return { alternatives, unresolved }
}

/** One of the results of braces. */
function expandBraced(text: string, expanding: Expanding): Expansion {
  const [statement] = parse(`: ${text}`).commands
  const one = statement?.command.type === 'Command' ? statement.command.suffix[0] : undefined
  const isPlain = one?.type === 'Word' && !one.parts?.some(({ type }) => type === 'BraceExpansion')
  return isPlain ? expandWord(one, expanding) : { alternatives: [[text]], unresolved: [] }
}

function added({ fields, isOpen }: Draft, value: string, isQuoted: boolean, separators: string): Draft {
  const before = isOpen ? fields.slice(0, -1) : fields
  const open = isOpen ? (fields.at(-1) ?? '') : ''
  if (isQuoted) return { fields: [...before, joined(open, value)], isOpen: true }
  if (!value) return { fields, isOpen }
  const pieces = cut(value, separators)
  const endsOpen = !separators.includes(value.at(-1) as string)
  const [first = '', ...rest] = pieces
  const startsApart = separators.includes(value[0] as string)
  const begun = startsApart ? [...(isOpen ? [open] : []), first] : [joined(open, first)]
  const next = [...before, ...begun, ...rest].filter((field, at, all) => field || (at === all.length - 1 && endsOpen))
  return { fields: next, isOpen: endsOpen && next.length > 0 }
}

function cut(value: string, separators: string): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const character of value) {
    if (!separators.includes(character)) piece += character
    else if (piece) {
      pieces.push(piece)
      piece = ''
    }
  }
  return piece ? [...pieces, piece] : pieces
}

function valuesOf(part: WordPart, expanding: Expanding, unresolved: Unresolved[]): readonly string[] {
  const unknown = (why: Obscurity, value = '') => {
    unresolved.push({ text: part.text, why })
    return [value]
  }
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [part.value]
    case 'Glob':
    case 'BraceExpansion':
      return [part.text]
    // In zsh the parentheses may hold what is run for each file.
    case 'ExtendedGlob':
      return unknown('glob', part.text)
    case 'DoubleQuoted':
    case 'LocaleString': {
      const join = (text: string, more: string) => {
        expanding.spend(text.length + more.length)
        return joined(text, more)
      }
      return part.parts
        .map((inner) => valuesOf(inner, expanding, unresolved))
        .reduce((before, after) => combined(before, after, join, () => unknown('size')), [''] as readonly string[])
    }
    case 'SimpleExpansion':
      if (expanding.variables.isIncomplete(part.text.slice(1))) unknown('size')
      return valuesOfParameter(part.text.slice(1), expanding.variables) ?? unknown('variable')
    case 'ParameterExpansion':
      if (expanding.variables.isIncomplete(part.parameter)) unknown('size')
      return valuesOfExpansion(part, expanding.variables, (one) => textOf(one, expanding)) ?? unknown('variable')
    case 'CommandExpansion': {
      const output = part.script && expanding.outputOf(part.script)
      return output === undefined ? unknown('substitution') : [output.replace(/\n+$/, '')]
    }
    case 'ArithmeticExpansion':
      return unknown('substitution', '0')
    case 'ProcessSubstitution': {
      const { files } = expanding.variables
      const path = `/dev/fd/${63 - files.size}`
      files.set(path, part.script && expanding.outputOf(part.script))
      return [path]
    }
  }
}
