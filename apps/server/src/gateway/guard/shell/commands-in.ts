import {
  type Command,
  type For,
  forEachChild,
  type HereDoc,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash'
import { commandsAtWords, commandsInCode, isInterpreter } from './loose-commands.ts'
import { nameOf, runsOf } from './programs.ts'
import { type OtherReading, otherReadings } from './readings.ts'
import type { Runs } from './runs.ts'
import { piecesOf, scriptsWithin } from './scripts-within.ts'
import { staticOutput } from './static-output.ts'
import { ranByVariable } from './variable-scripts.ts'
import { newest, Variables } from './variables.ts'
import { type Expanding, expandWord, TooMuch, type Unresolved } from './words.ts'

/** Longer texts are not read: nobody types them, and reading must not hold up other sessions. */
const MAX_TEXT = 16 * 1024
/** The parser looks at each again for all others, so their time grows with the square. */
const MAX_HERE_DOCUMENTS = 32
const MAX_COMMANDS = 512
/** Scripts within scripts, and commands that run commands. */
const MAX_DEPTH = 24
/**
 * A line takes a fiftieth of a millisecond. Scripts within scripts are parsed as they are reached. Of
 * the processor's time: on a busy machine others' work must not make a line too long to be read.
 */
const READING_MS = 50
/** Nodes looked at and words expanded. */
const MAX_STEPS = 20_000

const STANDARD_INPUT = /^\/(?:dev\/(?:stdin|fd\/0)|proc\/(?:self|thread-self|\$\$)\/fd\/0)$/

/** A line that replaces something in the one before: history, too, but no word of its own. */
const QUICK_REPLACEMENT = /^\^[^^\n]/m

/** Of such a here document only some shells find the end. */
const DELIMITER_OF_ROWS = /<<-?\s*(?:'[^'\n]*\n|"[^"\n]*\n)/

/** What other shells look for as a program, and do not find: the mark of a comment, and a word that is none of theirs. */
const NO_PROGRAM = /^(?:#|\[\[(?:\s|$))/

/** Options of `xargs` and `parallel` that put what they read into the command, and commands that run it. */
const PUTS_WORDS = /\s(?:-\w*[Ii]|--replace|(?:\S*\/)?(?:\w*sh|env|sudo)\b)/

/** A simple command that a text runs. */
export interface SeenCommand {
  /** As it stands in the text. */
  source: string
  /** With quotes, variables and the like resolved, words divided by a blank. */
  text: string
  /** The command of which this is the end, such as `sudo ls` of `ls`. */
  within?: SeenCommand | undefined
}

export interface Reading {
  commands: SeenCommand[]
  /** What may be run besides, as far as the text says: no list of what is allowed counts on it. */
  possible: string[]
  /** Where this is empty, the commands are all there are, and just these. */
  unresolved: Unresolved[]
  /** A shell in it reads what comes to the text as a whole, or what reads that can't be said. */
  readsInput: boolean
}

/**
 * The simple commands of a text that a shell is to run, those inside of others included: as bash reads it, and as
 * other shells do where they differ. Takes bounded time for any text, and never throws. `isTyped`: at a prompt.
 */
export function commandsIn(text: string, isTyped = true): Reading {
  if (text.length > MAX_TEXT || text.split('<<').length > MAX_HERE_DOCUMENTS)
    return { commands: [], possible: [], unresolved: [{ text: '', why: 'size' }], readsInput: true }
  const reader = new Reader()
  if (QUICK_REPLACEMENT.test(text)) reader.unresolved.push({ text: text.trim(), why: 'history' })
  if (DELIMITER_OF_ROWS.test(text)) reader.unresolved.push({ text: text.trim(), why: 'syntax' })
  try {
    reader.script(text)
    for (const reading of otherReadings(text, isTyped)) reader.reading(reading)
  } catch (error) {
    // Anything else is a fault of the parser, such as a stack that is too deep for it.
    reader.unresolved.push({ text: '', why: error instanceof TooMuch ? 'size' : 'syntax' })
  }
  const { commands, unresolved } = reader
  const isRead = unresolved.every(({ why }) => why !== 'size' && why !== 'syntax')
  return { commands, possible: reader.possibleIn(text), unresolved, readsInput: reader.readsInput || !isRead }
}

/** What a command gets: `text` is undefined when it can't be said. */
interface Input {
  text: string | undefined
  /** It may be what comes to the text as a whole as well. */
  isMaybeOwn?: boolean
}

const UNKNOWN: Input = { text: undefined }
/** Of a function, which is called where nobody sees. */
const ANY: Input = { text: undefined, isMaybeOwn: true }

class Reader {
  readonly commands: SeenCommand[] = []
  readonly unresolved: Unresolved[] = []
  readsInput = false
  /** It runs what can't be said; and so do these commands of it, whose own words say nothing. */
  #runsUnknown = false
  readonly #unknown: string[] = []
  /** Of languages that are no shell's. */
  readonly #inCode: string[] = []
  /** What the commands get that have no other. */
  #outer: Input | undefined
  readonly #variables = new Variables()
  #depth = 0
  /** Of the script that is being read; positions count in it. */
  #source = ''
  #steps = 0
  readonly #begun = process.threadCpuUsage()
  /** No earlier than this the time can be up. */
  #deadline = performance.now() + READING_MS
  /** Characters of scripts and commands that may still be seen. */
  #budget = 8 * MAX_TEXT

  script(text: string): void {
    this.#budget -= text.length
    if (this.#budget < 0) throw new TooMuch()
    this.#parsed(parse(text), text)
    this.#deeper()
    for (const one of scriptsWithin(text)) this.script(one)
    this.#depth--
  }

  /** As another shell reads the text. What is an error there as well is not run. */
  reading({ text, open }: OtherReading): void {
    const { commands, unresolved } = this
    const [seen, known] = [commands.length, unresolved.length]
    this.script(text)
    const more = unresolved.splice(known).filter((one) => one.why !== 'syntax' && !unresolved.some(isSame(one)))
    unresolved.push(...more, ...(open ? [{ text, why: 'syntax' as const }] : []))
    const others = commands.splice(seen).filter((one) => !NO_PROGRAM.test(one.text))
    const before = new Set(commands.map((one) => one.text))
    commands.push(...others.filter((one) => !before.has(one.text)))
  }

  possibleIn(text: string): string[] {
    const rest = this.#unknown.reduce((all, own) => all.replace(own, ' '), text)
    return [...this.#inCode, ...(this.#runsUnknown ? commandsAtWords(rest) : [])]
  }

  #parsed(script: ParsedScript, source: string): void {
    const outer = this.#source
    this.#deeper()
    this.#source = source
    if (script.errors?.length) {
      this.#obscure(source, 'syntax')
      for (const piece of piecesOf(source)) this.script(piece)
    }
    for (const statement of script.commands) this.#node(statement)
    this.#source = outer
    this.#depth--
  }

  #obscure(text: string, why: Unresolved['why']): void {
    if (why === 'input' || why === 'file') {
      this.#runsUnknown = true
      this.#unknown.push(text)
    }
    this.unresolved.push({ text, why })
  }

  #node(node: SyntaxNode): void {
    this.#step()
    if (node.type === 'Command') this.#command(node, undefined)
    else if (node.type === 'Pipeline') this.#pipeline(node)
    else if (node.type === 'Script') this.#parsed(node, node.source ?? this.#source)
    else if (node.type === 'Redirected') this.#within(this.#inputOf(node.redirects, this.#outer), node)
    else if (node.type === 'Coproc') this.#within(UNKNOWN, node)
    else if (node.type === 'Function') this.#within(ANY, node)
    else {
      if (node.type === 'For') this.#loop(node)
      this.#inside(node)
    }
  }

  /** What is in a node gets this, unless it says otherwise. */
  #within(input: Input | undefined, node: SyntaxNode): void {
    this.#getting(input, () => this.#inside(node))
  }

  #getting(input: Input | undefined, look: () => void): void {
    const before = this.#outer
    this.#outer = input
    look()
    this.#outer = before
  }

  #step(): void {
    if (++this.#steps > MAX_STEPS || (performance.now() > this.#deadline && this.#left() <= 0)) throw new TooMuch()
  }

  /** Milliseconds of the processor that may still be spent. */
  #left(): number {
    const { user, system } = process.threadCpuUsage(this.#begun)
    const left = READING_MS - (user + system) / 1000
    this.#deadline = performance.now() + left
    return left
  }

  #deeper(): void {
    if (++this.#depth > MAX_DEPTH) throw new TooMuch()
  }

  /** Scripts inside of a node, wherever they are. */
  #inside(node: SyntaxNode): void {
    forEachChild(node, (child) => {
      if (child.type === 'ProcessSubstitution' && child.operator === '>') this.#within(UNKNOWN, child)
      else this.#node(child)
    })
  }

  #loop({ name, wordlist = [] }: For): void {
    const values = wordlist.flatMap((word) => this.#expand(word).flat())
    this.#variables.assign(name.value, values)
  }

  #pipeline({ commands }: Pipeline): void {
    let input = this.#outer
    for (const command of commands) {
      if (command.type === 'Command') this.#command(command, input)
      else this.#getting(input, () => this.#node(command))
      input = { text: command.type === 'Command' ? this.#outputOfCommand(command, input) : undefined }
    }
  }

  #command(command: Command, piped = this.#outer): void {
    this.#inside(command)
    this.#assign(command)
    const source = this.#source.slice(command.pos, command.end)
    // What stands in a variable can change what runs, as `PATH` and `LD_PRELOAD` do.
    for (const part of command.name ? command.prefix : [])
      if (part.type === 'Assignment') this.#seen({ source: part.text, text: this.#assigned(part) })
    const input = this.#inputOf(command.redirects, piped)
    const redirects = command.redirects.map((redirect) => this.#written(redirect)).join(' ')
    for (const argv of this.#argumentsOf(command)) {
      const text = [...(argv.length ? argv : [source]), ...(redirects && argv.length ? [redirects] : [])].join(' ')
      const seen = { source, text }
      this.#seen(seen)
      if (argv.length) this.#run(argv, seen, input)
    }
  }

  #seen(command: SeenCommand): void {
    this.#budget -= command.text.length
    if (this.commands.length >= MAX_COMMANDS || this.#budget < 0) throw new TooMuch()
    this.commands.push(command)
  }

  #assign(command: Command): void {
    const name = command.name?.value ?? ''
    const declares = /^(export|declare|local|readonly|typeset)$/.test(name)
    for (const part of [...command.prefix, ...(declares ? command.suffix : [])]) {
      if (part.type !== 'Assignment') continue
      if (part.value.type === 'ArrayValue') this.#runArray(part, part.value.elements)
      if (part.value.type !== 'Word') continue
      const values = this.#expand(part.value).map((fields) => fields.join(' '))
      const before = part.append ? (this.#variables.of(part.name) ?? ['']) : ['']
      this.#variables.assign(
        part.name,
        before.flatMap((start) => values.map((value) => start + value)),
      )
      const name = part.index ? `${part.name}[` : part.name
      for (const value of values) this.#ranBy(name, value, part.text)
    }
    if (name === 'set' && command.args[0]?.type === 'Word' && command.args[0].value === '--')
      this.#variables.positional = command.args
        .slice(1)
        .flatMap((word) => (word.type === 'Word' ? (this.#expand(word)[0] ?? []) : []))
  }

  /** What shells and other programs run because a variable has that value. */
  #ranBy(name: string, value: string, source: string): void {
    for (const runs of ranByVariable(name, value)) this.#runs(runs, { source, text: `${name}=${value}` }, undefined)
  }

  /** A command gives it a value. */
  #given(name: string, value: string, seen: SeenCommand): void {
    this.#variables.assign(name, [value])
    this.#ranBy(name, value, seen.source)
  }

  /** Words that are kept together may be run together (`"${x[@]}"`). */
  #runArray({ text }: { text: string }, elements: readonly Word[]): void {
    const argv = elements.flatMap((word) => this.#expand(word)[0] ?? [])
    if (argv.length) this.#runs({ kind: 'command', argv, by: 'prefix' }, { source: text, text }, undefined)
  }

  /** Every list of words that it may be called with; empty words for a bare assignment. */
  #argumentsOf({ name, args }: Command): string[][] {
    if (!name) return [[]]
    let lists: string[][] = [[]]
    const isScript = name.value === 'eval'
    for (const word of [name, ...args]) {
      const fields = word.type === 'Word' ? this.#expand(word, word === name, isScript) : [[this.#assigned(word)]]
      const [only = []] = fields
      // Most words stand for one thing: copying for each would take time by the square of their number.
      if (fields.length === 1) for (const list of lists) list.push(...only)
      else
        lists = newest(
          lists.flatMap((list) => fields.map((more) => [...list, ...more])),
          () => this.#obscure(word.text, 'size'),
        )
    }
    return lists.filter((list) => list.length > 0)
  }

  #assigned(part: { text: string; name: string; value: SyntaxNode }): string {
    if (part.value.type !== 'Word') return part.text
    return `${part.name}=${this.#expand(part.value)[0]?.join(' ') ?? ''}`
  }

  #expand(word: Word, isCommand = false, isScript = isCommand): string[][] {
    this.#step()
    const { alternatives, unresolved } = expandWord(word, this.#expanding)
    for (const { text, why } of unresolved) this.#obscure(text, why)
    const isUnknown = unresolved.length > 0 || word.parts?.[0]?.type === 'ProcessSubstitution'
    if ((isCommand || isScript) && isUnknown) this.#runsUnknown = true
    // What such a name stands for may be a shell.
    if (isCommand && (unresolved.length || word.parts?.some(({ type }) => type === 'Glob'))) this.readsInput = true
    if (isCommand && word.parts?.some(({ type }) => type === 'Glob' || type === 'ExtendedGlob'))
      this.#obscure(word.text, 'glob')
    return alternatives
  }

  readonly #expanding: Expanding = (() => {
    const outputOf = (script: ParsedScript) => this.#outputOf(script)
    return { variables: this.#variables, outputOf }
  })()

  /** Arguments or a text that a command runs in its turn. */
  #run(argv: readonly string[], seen: SeenCommand, input: Input | undefined): void {
    this.#deeper()
    if (nameOf(argv) === 'read' && input?.text !== undefined && argv.length > 1)
      this.#given(argv.at(-1) as string, input.text.trim(), seen)
    if (nameOf(argv) === 'exec' && input && input !== this.#outer && argv.length === 1) this.#readsInput(seen, input)
    if (isInterpreter(nameOf(argv))) {
      const files = argv.flatMap((word) => this.#variables.files.get(word) ?? [])
      this.#inCode.push(...[...argv.slice(1), ...files, input?.text ?? ''].flatMap((code) => commandsInCode(code)))
    }
    if (nameOf(argv) === 'printf' && argv[1] === '-v' && argv[2])
      this.#given(argv[2], staticOutput(['printf', ...argv.slice(3)], undefined) ?? '', seen)
    for (const runs of runsOf(argv)) this.#runs(runs, seen, input)
    this.#depth--
  }

  #runs(runs: Runs, seen: SeenCommand, input: Input | undefined): void {
    if (runs.kind === 'command') {
      const more = runs.by === 'input' ? this.#wordsOf(seen, input) : []
      if (runs.by === 'input' && PUTS_WORDS.test(seen.text)) this.#inCode.push(...commandsAtWords(input?.text ?? ''))
      const argv = [...runs.argv, ...more]
      const inner = { source: seen.source, text: argv.join(' '), within: runs.by === 'prefix' ? seen : undefined }
      this.#seen(inner)
      this.#run(argv, inner, input)
    } else if (runs.kind === 'script') this.#scriptWith(runs.text, runs.words)
    else if (runs.kind === 'input') this.#readsInput(seen, input)
    else this.#readsFile(runs.path, seen, input)
  }

  /** A shell's own words are `$0` and those after it in its script. */
  #scriptWith(text: string, words: readonly string[] = []): void {
    const before = this.#variables.positional
    if (words.length) this.#variables.positional = words.slice(1)
    if (words[0] !== undefined) this.#variables.assign('0', [words[0]])
    this.script(text)
    this.#variables.positional = before
  }

  #wordsOf(seen: SeenCommand, input: Input | undefined): string[] {
    if (input?.text === undefined) this.#obscure(seen.source, 'input')
    return input?.text?.split(/\s+/).filter(Boolean) ?? []
  }

  /** Without input of the line's own it is what is typed next, which is judged then. */
  #readsInput(seen: SeenCommand, input: Input | undefined): void {
    if (!input || input.isMaybeOwn) this.readsInput = true
    if (input && input.text === undefined) this.#obscure(seen.source, 'input')
    else if (input?.text !== undefined) this.script(input.text)
  }

  #readsFile(path: string, seen: SeenCommand, input: Input | undefined): void {
    const content = this.#variables.files.get(path)
    if (content !== undefined) this.script(content)
    else if (STANDARD_INPUT.test(path)) {
      this.#readsInput(seen, input)
      if (!input) this.#obscure(seen.source, 'input')
    } else this.#obscure(seen.source, 'file')
  }

  #inputOf(redirects: readonly Redirection[], piped: Input | undefined): Input | undefined {
    const own = redirects.findLast(
      (one) => one.type !== 'Redirect' || (one.operator === '<' && one.descriptor === undefined),
    )
    if (!own) return piped
    if (own.type === 'HereDoc') return { text: this.#bodyOf(own) }
    if (own.type === 'HereString') return { text: own.target && (this.#expand(own.target)[0] ?? []).join(' ') }
    const [path] = own.target ? (this.#expand(own.target)[0] ?? []) : []
    return { text: path === undefined ? undefined : this.#variables.files.get(path) }
  }

  #bodyOf({ body, operator, delimiter }: HereDoc): string | undefined {
    if (!delimiter?.quoted && /[$`]/.test(body.text)) return undefined
    return operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text
  }

  #written(redirect: Redirection): string {
    if (redirect.type === 'HereDoc') return this.#source.slice(redirect.pos, redirect.delimiter?.end ?? redirect.pos)
    const descriptor = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : ''
    const target = redirect.target ? (this.#expand(redirect.target)[0] ?? []).join(' ') : ''
    return `${descriptor}${redirect.operator} ${target}`
  }

  /** Undefined unless it is one plain command, or a pipeline of them, whose output can be said. */
  #outputOf({ commands }: ParsedScript): string | undefined {
    if (commands.length !== 1) return undefined
    const [statement] = commands
    const command = statement?.command
    if (command?.type === 'Command') return this.#outputOfCommand(command, undefined)
    if (command?.type !== 'Pipeline') return undefined
    let input: Input | undefined
    for (const one of command.commands) {
      if (one.type !== 'Command') return undefined
      input = { text: this.#outputOfCommand(one, input) }
    }
    return input?.text
  }

  #outputOfCommand(command: Command, piped: Input | undefined): string | undefined {
    this.#deeper()
    const before = this.unresolved.length
    const [argv = []] = this.#argumentsOf(command)
    const input = this.#inputOf(command.redirects, piped)
    // They are named where the command itself is read.
    const isResolved = this.unresolved.splice(before).length === 0
    this.#depth--
    const writes = command.redirects.some((one) => one.type === 'Redirect' && one.operator.includes('>'))
    return isResolved && !writes ? staticOutput(argv, input?.text) : undefined
  }
}

const isSame = (one: Unresolved) => (other: Unresolved) => one.text === other.text && one.why === other.why
