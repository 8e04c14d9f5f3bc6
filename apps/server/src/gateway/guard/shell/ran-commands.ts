import type { Input } from './command-words.ts'
import { commandsAtWords, commandsInCode, isInterpreter } from './loose-commands.ts'
import { afterOptions, optionValue } from './options.ts'
import { readsOwnInput } from './passed-input.ts'
import { nameOf, runsOf } from './programs.ts'
import type { ReadingLimits } from './reading-limits.ts'
import type { Runs } from './runs.ts'
import type { SeenCommand, SeenCommands } from './seen-commands.ts'
import { staticOutput } from './static-output.ts'
import { ranByVariable } from './variable-scripts.ts'
import type { Variables } from './variables.ts'

const STANDARD_INPUT = /^\/(?:dev\/(?:stdin|fd\/0)|proc\/(?:self|thread-self|\$\$)\/fd\/0)$/

/** Options of `xargs` and `parallel` that put what they read into the command, and commands that run it. */
const PUTS_WORDS = /\s(?:-\w*[Ii]|--replace|(?:\S*\/)?(?:\w*sh|env|sudo)\b)/

/** Give variables what they read. */
const READS = new Set(['read', 'mapfile', 'readarray'])

interface Parts {
  seen: SeenCommands
  limits: ReadingLimits
  variables: Variables
  /** Reads a text that a shell is to run. */
  script(text: string): void
  /** Input of commands that have no other. */
  outer(): Input | undefined
}

/** Commands that run because of others: commands, scripts, files, and values of variables. */
export class RanCommands {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Arguments or a text that a command runs in its turn. */
  run(argv: readonly string[], command: SeenCommand, input: Input | undefined): void {
    const { seen, limits, variables, outer } = this.#parts
    limits.deeper()
    const name = nameOf(argv)
    if (READS.has(name)) this.#read(argv, command, input)
    if (name === 'getopts') this.#optionsOf(argv.slice(3), command)
    if (name === 'exec' && input && input !== outer() && argv.length === 1) this.#readsInput(command, input)
    if (isInterpreter(name)) {
      const files = argv.flatMap((word) => variables.files.get(word) ?? [])
      seen.inCode.push(...[...argv.slice(1), ...files, input?.text ?? ''].flatMap((code) => commandsInCode(code)))
    }
    if (name === 'printf' && argv[1] === '-v' && argv[2])
      this.#given(argv[2], staticOutput(['printf', ...argv.slice(3)], undefined) ?? '', command)
    for (const runs of runsOf(argv)) this.#runs(runs, command, input)
    limits.shallower()
  }

  /** Variables get the words of a line, the last one all that is left. */
  #read(argv: readonly string[], command: SeenCommand, input: Input | undefined): void {
    const { seen } = this.#parts
    if (!input || input.isMaybeOwn) seen.readsVariables = true
    if (input?.text === undefined) return
    const names = afterOptions(argv.slice(1), { values: 'adinNptuOsCc' })
    const array = optionValue(argv, 'a', '-a') ?? (argv[0]?.startsWith('read') && names.length ? undefined : names[0])
    const text = input.text.trim()
    if (array) this.#parts.variables.assignElements(array, text.split(argv[0] === 'read' ? /\s+/ : '\n'))
    const words = text.split(/\s+/)
    for (const [at, name] of names.entries()) {
      const isLast = at === names.length - 1
      this.#given(name, isLast ? words.slice(at).join(' ') : (words[at] ?? ''), command)
      if (isLast) this.#given(name, text, command)
    }
  }

  /** Each word may be the value of an option, or have it behind its letter. */
  #optionsOf(words: readonly string[], command: SeenCommand): void {
    const { positional = [] } = this.#parts.variables
    for (const word of [...(words.length ? words : positional)])
      for (const value of [word, word.replace(/^-./, '')]) this.#given('OPTARG', value, command)
  }

  /** Adds commands that shells and other programs run because a variable has that value. */
  runByVariable(name: string, value: string, source: string): void {
    for (const runs of ranByVariable(name, value)) this.#runs(runs, { source, text: `${name}=${value}` }, undefined)
  }

  /** Words that are kept together may be run together (`"${x[@]}"`). */
  runArray(argv: string[], text: string): void {
    if (argv.length) this.#runs({ kind: 'command', argv, by: 'prefix' }, { source: text, text }, undefined)
  }

  /** A command gives it a value. */
  #given(name: string, value: string, command: SeenCommand): void {
    this.#parts.variables.assign(name, [value])
    this.runByVariable(name, value, command.source)
  }

  #runs(runs: Runs, command: SeenCommand, input: Input | undefined): void {
    const { seen } = this.#parts
    if (runs.kind === 'command') {
      const more = runs.by === 'input' ? this.#wordsOf(command, input) : []
      if (runs.by === 'input' && PUTS_WORDS.test(command.text)) {
        seen.inCode.push(...commandsAtWords(input?.text ?? ''))
        if (!input || input.isMaybeOwn) seen.readsInput = true
      }
      const argv = [...runs.argv, ...more]
      const within = runs.by === 'prefix' ? command : undefined
      const inner = { source: command.source, text: argv.join(' '), within }
      seen.add(inner)
      this.run(argv, inner, input)
    } else if (runs.kind === 'script') this.#scriptWith(runs.text, runs.words)
    else if (runs.kind === 'input') this.#readsInput(command, input)
    else this.#readsFile(runs.path, command, input)
  }

  /** A shell's own words are `$0` and those after it in its script. */
  #scriptWith(text: string, words: readonly string[] = []): void {
    const { seen, variables, script } = this.#parts
    // Some of it may be what was read.
    if (seen.readsVariables && seen.unresolved.some(({ why }) => why === 'variable')) seen.readsInput = true
    const before = variables.positional
    if (words.length) variables.positional = words.slice(1)
    if (words[0] !== undefined) variables.assign('0', [words[0]])
    script(text)
    variables.positional = before
  }

  #wordsOf(command: SeenCommand, input: Input | undefined): string[] {
    if (input?.text === undefined) this.#parts.seen.obscure(command.source, 'input')
    return input?.text?.split(/\s+/).filter(Boolean) ?? []
  }

  /** Without input of the line's own it is what is typed next, which is judged then. */
  #readsInput(command: SeenCommand, input: Input | undefined): void {
    const { seen, script } = this.#parts
    if (!input || input.isMaybeOwn) seen.readsInput = true
    if (input && input.text === undefined) seen.obscure(command.source, 'input')
    else if (input?.text !== undefined) script(input.text)
  }

  #readsFile(path: string, command: SeenCommand, input: Input | undefined): void {
    const { seen, variables, script } = this.#parts
    const content = variables.files.get(path)
    if (variables.files.has(path) && content === undefined && readsOwnInput(command.source)) seen.readsInput = true
    if (content !== undefined) script(content)
    else if (STANDARD_INPUT.test(path)) {
      this.#readsInput(command, input)
      if (!input) seen.obscure(command.source, 'input')
    } else seen.obscure(command.source, 'file')
  }
}
