/** A line that can't be run; its words are for the person. */
export class CommandError extends Error {}

/** A line as `kubectl` parses it. */
export interface CommandLine {
  verb: Verb
  parameters: readonly string[]
  flags: ReadonlyMap<Flag, string>
  /** Words behind `--`. */
  program: readonly string[]
}

const COMMON = ['namespace'] as const
const LISTED = ['namespace', 'all-namespaces', 'output', 'selector', 'field-selector', 'no-headers'] as const

/** The commands, and which flags each takes (https://kubernetes.io/docs/reference/kubectl/generated). */
const FLAGS_OF = {
  get: LISTED,
  describe: ['namespace', 'all-namespaces', 'selector'],
  events: [...COMMON, 'all-namespaces', 'for'],
  logs: [...COMMON, 'container', 'follow', 'previous', 'tail', 'since', 'timestamps'],
  exec: [...COMMON, 'container', 'stdin', 'tty'],
  delete: COMMON,
  'api-resources': [],
  version: [],
} as const satisfies Record<string, readonly string[]>

export type Verb = keyof typeof FLAGS_OF
export type Flag = (typeof FLAGS_OF)[Verb][number]

export const VERBS = Object.keys(FLAGS_OF) as Verb[]
export const isVerb = (text: string): text is Verb => Object.hasOwn(FLAGS_OF, text)

const SHORT: Readonly<Record<string, Flag>> = {
  n: 'namespace',
  A: 'all-namespaces',
  o: 'output',
  l: 'selector',
  c: 'container',
  f: 'follow',
  p: 'previous',
  i: 'stdin',
  t: 'tty',
}
/** Flags that stand alone. */
const SWITCHES: ReadonlySet<string> = new Set<Flag>([
  ...(['all-namespaces', 'no-headers', 'follow', 'previous', 'timestamps', 'stdin', 'tty'] as const),
])
const OWN_NAME = /^(?:kubectl|k)$/

/** Throws CommandError. */
export function readCommandLine(text: string): CommandLine {
  const words = wordsIn(text)
  if (OWN_NAME.test(words[0] ?? '')) words.shift()
  const verb = words.shift() ?? ''
  if (!isVerb(verb)) throw new CommandError(`unknown command "${verb}": help lists what there is`)
  const flags = new Map<Flag, string>()
  const parameters: string[] = []
  const end = words.indexOf('--')
  const program = end < 0 ? [] : words.splice(end).slice(1)
  if (program.length && verb !== 'exec') throw new CommandError(`nothing may stand behind -- in "${verb}"`)
  const set = (name: string, value: string | undefined) => {
    const flag = (FLAGS_OF[verb] as readonly string[]).find((one) => one === name) as Flag | undefined
    if (!flag) throw new CommandError(`unknown flag "${name}" of "${verb}"`)
    const given = value ?? (SWITCHES.has(flag) ? 'true' : words.shift())
    if (given === undefined) throw new CommandError(`flag "${name}" needs a value`)
    if (given !== 'false' || !SWITCHES.has(flag)) flags.set(flag, given)
  }
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const long = /^--([a-z-]+)(?:=(.*))?$/s.exec(word)
    if (long) set(long[1] as string, long[2])
    else if (/^-[A-Za-z]/.test(word)) setShort(word.slice(1), set)
    else parameters.push(word)
  }
  return { verb, parameters, flags, program }
}

/** `-n shop`, `-nshop`, `-n=shop`, `-it`. */
function setShort(letters: string, set: (name: string, value: string | undefined) => void): void {
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string
    const name = SHORT[letter] ?? letter
    const rest = letters.slice(at + 1).replace(/^=/, '')
    if (!SWITCHES.has(name) && rest) {
      set(name, rest)
      return
    }
    set(name, undefined)
  }
}

/** Apart at blanks; quotes hold together, and a backslash takes the next character as it is. */
function wordsIn(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (quote) {
      if (character === quote) quote = ''
      else if (character === '\\' && quote === '"' && at + 1 < text.length) word += text[++at] as string
      else word += character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (character === '\\' && at + 1 < text.length) word = (word ?? '') + text[++at]
    else if (!/\s/.test(character)) word = (word ?? '') + character
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  if (quote) throw new CommandError('a quote is not closed')
  if (word !== undefined) words.push(word)
  return words
}
