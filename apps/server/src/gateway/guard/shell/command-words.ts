import type { Command, HereDoc, ParsedScript, Redirection, SyntaxNode, Word } from 'unbash'
import { readsOwnInput } from './passed-input.ts'
import type { ReadingLimits } from './reading-limits.ts'
import type { SeenCommands } from './seen-commands.ts'
import { staticOutput } from './static-output.ts'
import { combined, type Variables } from './variables.ts'
import { type Expanding, expandWord, type Unresolved } from './words.ts'

/** Input of a command: `text` is undefined when it is unknown. */
export interface Input {
  text: string | undefined
  /** It may be what comes to the text as a whole as well. */
  isMaybeOwn?: boolean
}

/** The words of commands, with their input and the files that they write. */
export class CommandWords {
  readonly #seen: SeenCommands
  readonly #limits: ReadingLimits
  readonly #variables: Variables
  readonly #expanding: Expanding

  constructor({ seen, limits, variables }: { seen: SeenCommands; limits: ReadingLimits; variables: Variables }) {
    this.#seen = seen
    this.#limits = limits
    this.#variables = variables
    this.#expanding = {
      variables,
      outputOf: (script) => this.#outputOf(script),
      spend: (characters) => limits.spend(characters),
    }
  }

  /** Every list of words that it may be called with; empty words for a bare assignment. */
  argumentsOf({ name, args }: Command): string[][] {
    if (!name) return [[]]
    let lists: string[][] = [[]]
    const isScript = name.value === 'eval'
    for (const word of [name, ...args]) {
      const fields = word.type === 'Word' ? this.expand(word, word === name, isScript) : [[this.assigned(word)]]
      const [only = []] = fields
      // Most words have one value: copying for each would take time by the square of their number.
      if (fields.length === 1) for (const list of lists) list.push(...only)
      else lists = combined(lists, fields, joined, () => this.#seen.obscure(word.text, 'size'))
    }
    return lists.filter((list) => list.length > 0)
  }

  assigned(part: { text: string; name: string; value: SyntaxNode }): string {
    if (part.value.type !== 'Word') return part.text
    return `${part.name}=${this.expand(part.value)[0]?.join(' ') ?? ''}`
  }

  expand(word: Word, isCommand = false, isScript = isCommand): string[][] {
    this.#limits.step()
    const { alternatives, unresolved } = expandWord(word, this.#expanding)
    for (const { text, why } of unresolved) this.#seen.obscure(text, why)
    if ((isCommand || isScript) && unresolved.some(({ why }) => why === 'size')) this.#seen.isTooMuch = true
    const isUnknown = unresolved.length > 0 || word.parts?.[0]?.type === 'ProcessSubstitution'
    if ((isCommand || isScript) && isUnknown) this.#seen.runsUnknown = true
    if ((isCommand || isScript) && unresolved.some((one) => this.#isOfInput(one))) this.#seen.readsInput = true
    // The value of such a name may be a shell.
    if (isCommand && (unresolved.length || word.parts?.some(({ type }) => type === 'Glob')))
      this.#seen.readsInput = true
    if (isCommand && word.parts?.some(({ type }) => type === 'Glob' || type === 'ExtendedGlob'))
      this.#seen.obscure(word.text, 'glob')
    return alternatives
  }

  /** Whether what can't be said may be what comes to the text as a whole. */
  #isOfInput({ text, why }: Unresolved): boolean {
    if (why === 'substitution') return readsOwnInput(text)
    return why === 'variable' && this.#seen.readsVariables
  }

  /** `piped`: without a redirection. */
  inputOf(redirects: readonly Redirection[], piped: Input | undefined): Input | undefined {
    const own = redirects.findLast(
      (one) => one.type !== 'Redirect' || (one.operator === '<' && one.descriptor === undefined),
    )
    if (!own) return piped
    if (own.type === 'HereDoc') return { text: bodyOf(own) }
    if (own.type === 'HereString') return { text: own.target && (this.expand(own.target)[0] ?? []).join(' ') }
    const [path] = own.target ? (this.expand(own.target)[0] ?? []) : []
    return { text: path === undefined ? undefined : this.#variables.files.get(path) }
  }

  /** Undefined where it can't be said. */
  outputOfCommand(command: Command, piped: Input | undefined): string | undefined {
    this.#limits.deeper()
    const { unresolved } = this.#seen
    const before = unresolved.length
    const [argv = []] = this.argumentsOf(command)
    const input = this.inputOf(command.redirects, piped)
    // They are named where the command itself is read.
    const isResolved = unresolved.splice(before).length === 0
    this.#limits.shallower()
    const writes = command.redirects.some((one) => one.type === 'Redirect' && one.operator.includes('>'))
    return isResolved && !writes ? staticOutput(argv, input?.text) : undefined
  }

  /** A redirection as in its source, with its expansion. */
  written(redirect: Redirection, source: string): string {
    if (redirect.type === 'HereDoc') return source.slice(redirect.pos, redirect.delimiter?.end ?? redirect.pos)
    const descriptor = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : ''
    const target = redirect.target ? (this.expand(redirect.target)[0] ?? []).join(' ') : ''
    return `${descriptor}${redirect.operator} ${target}`
  }

  /** Undefined unless it is one plain command, or a pipeline of them, whose output can be said. */
  #outputOf({ commands }: ParsedScript): string | undefined {
    if (commands.length !== 1) return undefined
    const [statement] = commands
    const command = statement?.command
    if (command?.type === 'Command') return this.outputOfCommand(command, undefined)
    if (command?.type !== 'Pipeline') return undefined
    let input: Input | undefined
    for (const one of command.commands) {
      if (one.type !== 'Command') return undefined
      input = { text: this.outputOfCommand(one, input) }
    }
    return input?.text
  }
}

function bodyOf({ body, operator, delimiter }: HereDoc): string | undefined {
  if (!delimiter?.quoted && /[$`]/.test(body.text)) return undefined
  return operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text
}

const joined = (words: readonly string[], more: readonly string[]): string[] => [...words, ...more]
