import {
  type Command,
  type For,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  parse,
  type SyntaxNode,
  type TestBinaryExpression,
} from 'unbash'
import { CommandWords, type Input } from './command-words.ts'
import { foundBy } from './parameters.ts'
import { readsOwnInput } from './passed-input.ts'
import { nameOf } from './programs.ts'
import { RanCommands } from './ran-commands.ts'
import { ReadingLimits } from './reading-limits.ts'
import { type OtherReading, otherReadings } from './readings.ts'
import { piecesOf, scriptsWithin } from './scripts-within.ts'
import { SeenCommands } from './seen-commands.ts'
import { Variables } from './variables.ts'
import type { Unresolved } from './words.ts'

/**
 * Words that other shells look for as a program, and do not find: the mark of a comment, and a word
 * that is none of theirs.
 */
const NO_PROGRAM = /^(?:#|\[\[(?:\s|$))/

const UNKNOWN: Input = { text: undefined }
/** Input of a function, which is called where nobody sees. */
const ANY: Input = { text: undefined, isMaybeOwn: true }

/** Walks through a parsed text and notes what it runs. Throws TooMuch, and what the parser throws. */
export class ScriptReader {
  readonly #limits: ReadingLimits
  readonly seen: SeenCommands
  /** Input of commands that have no other. */
  #outer: Input | undefined
  readonly #variables = new Variables()
  readonly #words: CommandWords
  readonly #ran: RanCommands
  /** The script that is being read; positions count in it. */
  #source = ''

  /** A reader of a text of that many characters. */
  constructor(length: number) {
    const limits = new ReadingLimits(length)
    const seen = new SeenCommands(limits)
    const parts = { seen, limits, variables: this.#variables }
    this.#limits = limits
    this.seen = seen
    this.#words = new CommandWords(parts)
    this.#ran = new RanCommands({ ...parts, script: (text) => this.#inner(text), outer: () => this.#outer })
  }

  script(text: string): void {
    this.#limits.see(text)
    this.#parsed(parse(text), text)
    this.#limits.deeper()
    for (const one of scriptsWithin(text)) this.script(one)
    this.#limits.shallower()
  }

  /** A text that some shell is given within another. */
  #inner(text: string): void {
    this.script(text)
    for (const reading of otherReadings(text, false)) this.reading(reading)
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
      if (node.type === 'TestBinary' && node.operator === '=~') this.#matched(node)
      this.#inside(node)
    }
  }

  /** Commands in a node get this input, unless it says otherwise. */
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

  /** The match of an expression is kept in an array. */
  #matched({ left, right }: TestBinaryExpression): void {
    const [value = ''] = this.#words.expand(left)[0] ?? []
    this.#variables.assignElements('BASH_REMATCH', foundBy(right.text, value) ?? [])
  }

  #pipeline({ commands }: Pipeline): void {
    let input = this.#outer
    for (const command of commands) {
      if (command.type === 'Command') this.#command(command, input)
      else this.#getting(input, () => this.#node(command))
      const text = command.type === 'Command' ? this.#words.outputOfCommand(command, input) : undefined
      const isOwn = !input || input.isMaybeOwn === true
      input = text === undefined && isOwn && passesOn(command, this.#source) ? ANY : { text }
    }
  }

  #command(command: Command, piped = this.#outer): void {
    this.#inside(command)
    this.#assign(command)
    const source = this.#source.slice(command.pos, command.end)
    // The value of a variable can change what runs, as those of `PATH` and `LD_PRELOAD` do.
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

  /** Declarations of variables change their values. */
  #declare({ args, suffix }: Command): void {
    const options = args.map((word) => word.text).filter((text) => /^-[a-zA-Z]+$/.test(text))
    const has = (letter: string) => options.some((text) => text.includes(letter))
    for (const part of suffix) {
      const name = part.type === 'Assignment' ? part.name : part.type === 'Word' ? part.text : ''
      if (has('l')) this.#variables.keepLetters(name, 'toLowerCase')
      if (has('u')) this.#variables.keepLetters(name, 'toUpperCase')
      if (has('n') && part.type === 'Assignment' && part.value.type === 'Word')
        this.#variables.refer(name, this.#words.expand(part.value)[0]?.join('') ?? '')
    }
  }

  #assign(command: Command): void {
    const name = command.name?.value ?? ''
    const declares = /^(export|declare|local|readonly|typeset)$/.test(name)
    if (declares) this.#declare(command)
    for (const part of [...command.prefix, ...(declares ? command.suffix : [])]) {
      if (part.type !== 'Assignment') continue
      if (part.value.type === 'ArrayValue') {
        const argv = part.value.elements.flatMap((word) => this.#words.expand(word)[0] ?? [])
        const elements = argv.map((word) => word.replace(/^\[[^\]]*\]\+?=/, ''))
        this.#variables.assignElements(part.name, elements)
        this.#ran.runArray(argv, part.text)
      }
      if (part.value.type !== 'Word') continue
      const values = this.#words.expand(part.value).map((fields) => fields.join(' '))
      if (part.index) this.#variables.assignElements(part.name, values, part.index.text)
      const before = part.append ? (this.#variables.of(part.name) ?? ['']) : ['']
      this.#variables.assign(
        part.name,
        before.flatMap((start) => values.map((value) => start + value)),
      )
      const name = part.index ? `${part.name}[` : part.name
      for (const value of values) this.#ran.runByVariable(name, value, part.text)
    }
    if (name === 'shift') this.#variables.isShifted = true
    if (name === 'set' && command.args[0]?.type === 'Word' && command.args[0].value === '--')
      this.#variables.positional = command.args
        .slice(1)
        .flatMap((word) => (word.type === 'Word' ? (this.#words.expand(word)[0] ?? []) : []))
  }
}

/** Whether what comes to a command may come out of it, as it was or changed. */
function passesOn(command: SyntaxNode, source: string): boolean {
  if (command.type !== 'Command') return true
  const name = nameOf([command.name?.value ?? ''])
  const operands = command.args.filter((word) => !word.text.startsWith('-') || word.text === '-')
  if (name === 'cat' && operands.length) return operands.some((word) => /^-$|stdin|\/dev\/fd/.test(word.text))
  return readsOwnInput(source.slice(command.pos, command.end))
}

const isSame = (one: Unresolved) => (other: Unresolved) => one.text === other.text && one.why === other.why
