import { type Command, type For, forEachChild, type ParsedScript, type Pipeline, parse, type SyntaxNode } from 'unbash'
import { CommandWords, type Input } from './command-words.ts'
import { RanCommands } from './ran-commands.ts'
import { ReadingLimits } from './reading-limits.ts'
import type { OtherReading } from './readings.ts'
import { piecesOf, scriptsWithin } from './scripts-within.ts'
import { SeenCommands } from './seen-commands.ts'
import { Variables } from './variables.ts'
import type { Unresolved } from './words.ts'

/** What other shells look for as a program, and do not find: the mark of a comment, and a word that is none of theirs. */
const NO_PROGRAM = /^(?:#|\[\[(?:\s|$))/

const UNKNOWN: Input = { text: undefined }
/** Of a function, which is called where nobody sees. */
const ANY: Input = { text: undefined, isMaybeOwn: true }

/** Walks through a parsed text and notes what it runs. Throws TooMuch, and what the parser throws. */
export class ScriptReader {
  readonly #limits: ReadingLimits
  readonly seen: SeenCommands
  /** What the commands get that have no other. */
  #outer: Input | undefined
  readonly #variables = new Variables()
  readonly #words: CommandWords
  readonly #ran: RanCommands
  /** Of the script that is being read; positions count in it. */
  #source = ''

  /** Of a text of that many characters. */
  constructor(length: number) {
    const limits = new ReadingLimits(length)
    const seen = new SeenCommands(limits)
    const parts = { seen, limits, variables: this.#variables }
    this.#limits = limits
    this.seen = seen
    this.#words = new CommandWords(parts)
    this.#ran = new RanCommands({ ...parts, script: (text) => this.script(text), outer: () => this.#outer })
  }

  script(text: string): void {
    this.#limits.see(text)
    this.#parsed(parse(text), text)
    this.#limits.deeper()
    for (const one of scriptsWithin(text)) this.script(one)
    this.#limits.shallower()
  }

  /** As another shell reads the text. What is an error there as well is not run. */
  reading({ text, open }: OtherReading): void {
    const { commands, unresolved } = this.seen
    const [seen, known] = [commands.length, unresolved.length]
    this.script(text)
    const more = unresolved.splice(known).filter((one) => one.why !== 'syntax' && !unresolved.some(isSame(one)))
    unresolved.push(...more, ...(open ? [{ text, why: 'syntax' as const }] : []))
    const others = commands.splice(seen).filter((one) => !NO_PROGRAM.test(one.text))
    const before = new Set(commands.map((one) => one.text))
    commands.push(...others.filter((one) => !before.has(one.text)))
  }

  #parsed(script: ParsedScript, source: string): void {
    const outer = this.#source
    this.#limits.deeper()
    this.#source = source
    if (script.errors?.length) {
      this.seen.obscure(source, 'syntax')
      for (const piece of piecesOf(source)) this.script(piece)
    }
    for (const statement of script.commands) this.#node(statement)
    this.#source = outer
    this.#limits.shallower()
  }

  #node(node: SyntaxNode): void {
    this.#limits.step()
    if (node.type === 'Command') this.#command(node, undefined)
    else if (node.type === 'Pipeline') this.#pipeline(node)
    else if (node.type === 'Script') this.#parsed(node, node.source ?? this.#source)
    else if (node.type === 'Redirected') this.#within(this.#words.inputOf(node.redirects, this.#outer), node)
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

  /** Scripts inside of a node, wherever they are. */
  #inside(node: SyntaxNode): void {
    forEachChild(node, (child) => {
      if (child.type === 'ProcessSubstitution' && child.operator === '>') this.#within(UNKNOWN, child)
      else this.#node(child)
    })
  }

  #loop({ name, wordlist = [] }: For): void {
    const values = wordlist.flatMap((word) => this.#words.expand(word).flat())
    this.#variables.assign(name.value, values)
  }

  #pipeline({ commands }: Pipeline): void {
    let input = this.#outer
    for (const command of commands) {
      if (command.type === 'Command') this.#command(command, input)
      else this.#getting(input, () => this.#node(command))
      input = { text: command.type === 'Command' ? this.#words.outputOfCommand(command, input) : undefined }
    }
  }

  #command(command: Command, piped = this.#outer): void {
    this.#inside(command)
    this.#assign(command)
    const source = this.#source.slice(command.pos, command.end)
    // What stands in a variable can change what runs, as `PATH` and `LD_PRELOAD` do.
    for (const part of command.name ? command.prefix : [])
      if (part.type === 'Assignment') this.seen.add({ source: part.text, text: this.#words.assigned(part) })
    const input = this.#words.inputOf(command.redirects, piped)
    const redirects = command.redirects.map((redirect) => this.#words.written(redirect, this.#source)).join(' ')
    for (const argv of this.#words.argumentsOf(command)) {
      const text = [...(argv.length ? argv : [source]), ...(redirects && argv.length ? [redirects] : [])].join(' ')
      const seen = { source, text }
      this.seen.add(seen)
      if (argv.length) this.#ran.run(argv, seen, input)
    }
  }

  #assign(command: Command): void {
    const name = command.name?.value ?? ''
    const declares = /^(export|declare|local|readonly|typeset)$/.test(name)
    for (const part of [...command.prefix, ...(declares ? command.suffix : [])]) {
      if (part.type !== 'Assignment') continue
      if (part.value.type === 'ArrayValue') {
        const argv = part.value.elements.flatMap((word) => this.#words.expand(word)[0] ?? [])
        this.#ran.runArray(argv, part.text)
      }
      if (part.value.type !== 'Word') continue
      const values = this.#words.expand(part.value).map((fields) => fields.join(' '))
      const before = part.append ? (this.#variables.of(part.name) ?? ['']) : ['']
      this.#variables.assign(
        part.name,
        before.flatMap((start) => values.map((value) => start + value)),
      )
      const name = part.index ? `${part.name}[` : part.name
      for (const value of values) this.#ran.runByVariable(name, value, part.text)
    }
    if (name === 'set' && command.args[0]?.type === 'Word' && command.args[0].value === '--')
      this.#variables.positional = command.args
        .slice(1)
        .flatMap((word) => (word.type === 'Word' ? (this.#words.expand(word)[0] ?? []) : []))
  }
}

const isSame = (one: Unresolved) => (other: Unresolved) => one.text === other.text && one.why === other.why
