import { RUNBOOK_FACTS, RUNBOOK_VALUE } from '@sallyport/contract/resources/ops/runbook.ts'

/** The facts of a machine, by the names of `RUNBOOK_FACTS`. */
export type HostFacts = Readonly<Record<(typeof RUNBOOK_FACTS)[number], string>>

/** A place in a step where the value of a variable, or a fact of the machine, is written. */
interface Place {
  name: string
  /** As the step has it, `{{name}}`. */
  written: string
  /** A word of the shell may be there, so that a value can be quoted as one. */
  isOpen: boolean
  /** The text there gets into no list of processes: the shell alone reads it. */
  isUnseen: boolean
}

/** A step, in parts: text as it is, and places. */
export type Template = readonly (string | Place)[]

/** `{{name}}`, `{{host.name}}`; what templates of other tools look like (`{{.Names}}`, `{{json .}}`) is none. */
const NAMED = /\{\{ ?([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)?) ?\}\}/y

/** How a shell reads the text at a place: after `unknown` nothing is certain. */
type Reading = 'words' | 'single' | 'double' | 'comment' | 'unknown'

/**
 * Places where a shell reads words that are not simply words: here documents, arithmetic,
 * expansions, quotes of other kinds; commands that read a word once more, as the subscripts of
 * variables that they get. And `#` where it is a comment at times: behind `(…)`, not behind `$(…)`,
 * nor behind a blank that is escaped.
 */
const STRANGE =
  /`|\$\{|\$'|\$"|\$\[|(?<=[\w}])\[|<<|\(\(|\[\[|(?<=\)|\\[ \t\n;|&()<>])#|-v(?=[\s{])|(?<![^ \t\n;|&()<>])(?:eval|let|declare|typeset|local|unset|read|mapfile|readarray|trap|getopts|wait)(?=[\s<>;|&(){\\])/y
/**
 * Commands that read a word once more from anywhere in the step, by a variable or an argument:
 * arithmetic, in which a subscript may run commands, commands that get names of variables, and
 * `eval`. Where a step has one, nothing but plain values is sure to stay a value.
 */
const EVALUATES =
  /\(\(|\$\[|\[\[|[\w}]\[|\$\{[^}]*(?::(?![-=?+])|\[)|-(?:eq|ne|lt|le|gt|ge|v)(?![\w-])|(?<![\w./-])(?:eval|let|declare|typeset|local|integer|unset|read|mapfile|readarray|trap|getopts|wait)(?![\w-])/
/** The same within double quotes. */
const STRANGE_QUOTED = /`|\$\{|\$\(/y
const COMMENT = /(?<![^ \t\n;|&()<>])#/y

const isAt = (pattern: RegExp, text: string, at: number): boolean => {
  pattern.lastIndex = at
  return pattern.test(text)
}

/** Words that a command may follow in its line. */
const BEFORE = '\\s*(?:(?:then|do|else|if|elif|while|until|!|\\{)\\s+)*'
const ASSIGNED = '[A-Za-z_]\\w*=(?:[^\\s\'"]*|"[^"]*"|\'[^\']*\')\\s+'
/**
 * The value of an assignment before a command or by itself, or what `printf` says: shells do that themselves. `echo` may
 * turn a password into something else, which nothing would find to take it out of the output.
 */
const UNSEEN = new RegExp(`^${BEFORE}(?:(?:export\\s+)?(?:${ASSIGNED})*[A-Za-z_]\\w*=|printf\\s[^]*)$`)
/** Ends a command, so that another may begin. */
const ENDS_COMMAND = /[\n;&|()`]/

/** Reads a step as a Bourne shell does, as far as that is needed to know what may be quoted where. */
export function templateOf(step: string): Template {
  const parts: (string | Place)[] = []
  let reading: Reading = 'words'
  let begun = 0
  let command = 0
  const evaluates = EVALUATES.test(step)
  for (let at = 0; at < step.length; ) {
    NAMED.lastIndex = at
    const [written, name] = NAMED.exec(step) ?? []
    if (written && name) {
      const isOpen = !evaluates && (reading === 'words' || reading === 'comment')
      const isUnseen = isOpen && UNSEEN.test(step.slice(command, at))
      parts.push(step.slice(begun, at), { name, written, isOpen, isUnseen })
      at += written.length
      begun = at
      continue
    }
    if (reading === 'words' ? ENDS_COMMAND.test(step[at] ?? '') : reading === 'comment' && step[at] === '\n')
      command = at + 1
    reading = readingAfter(step, at, reading)
    // An escaped character opens and closes nothing; a place there is part of no word.
    const isEscape = step[at] === '\\' && (reading === 'words' || reading === 'double')
    if (isEscape && isAt(NAMED, step, at + 1)) reading = 'unknown'
    at += isEscape && reading !== 'unknown' ? 2 : 1
  }
  return [...parts, step.slice(begun)]
}

function readingAfter(step: string, at: number, reading: Reading): Reading {
  const sign = step[at]
  switch (reading) {
    case 'words':
      if (isAt(STRANGE, step, at)) return 'unknown'
      if (isAt(COMMENT, step, at)) return 'comment'
      return sign === "'" ? 'single' : sign === '"' ? 'double' : 'words'
    case 'single':
      return sign === "'" ? 'words' : 'single'
    case 'double':
      if (isAt(STRANGE_QUOTED, step, at)) return 'unknown'
      return sign === '"' ? 'words' : 'double'
    case 'comment':
      return sign === '\n' ? 'words' : 'comment'
    case 'unknown':
      return 'unknown'
  }
}

const placesOf = (template: Template): Place[] => template.filter((part) => typeof part !== 'string')

/** Names of variables and facts that a template has places for. */
export const namesIn = (template: Template): string[] => [...new Set(placesOf(template).map(({ name }) => name))]

export const isFact = (name: string): name is keyof HostFacts => (RUNBOOK_FACTS as readonly string[]).includes(name)

/** Whether a value can stand anywhere in a command without a shell reading more in it than a part of a word. */
const isPlain = (value: string): boolean => RUNBOOK_VALUE.test(value)

/** One line of what people can see, and no option of the command that it is given to. */
export const isValue = (value: string): boolean => /^(?!-)[^\p{C}\p{Zl}\p{Zp}]*$/u.test(value)

/** Whether a value can be written at all places of its name. */
export const fits = (templates: readonly Template[], name: string, value: string): boolean =>
  isPlain(value) ||
  templates.every((template) => placesOf(template).every((place) => place.name !== name || place.isOpen))

/** Whether a secret can be written at all places of its name: where no list of processes shows it. */
export const fitsSecret = (templates: readonly Template[], name: string): boolean =>
  templates.every((template) => placesOf(template).every((place) => place.name !== name || place.isUnseen))

/**
 * The step with these values, which fit; places of other names, such as facts that differ by
 * machine, stay. For secrets there are the variables of the shell that hold them.
 */
export function filled(
  template: Template,
  values: Readonly<Record<string, string>>,
  secrets: ReadonlySet<string> = new Set(),
): string {
  return template
    .map((part) => {
      if (typeof part === 'string') return part
      if (secrets.has(part.name)) return `"$${part.name}"`
      const value = Object.hasOwn(values, part.name) ? values[part.name] : undefined
      return value === undefined ? part.written : isPlain(value) ? value : quoted(value)
    })
    .join('')
}

/** One word of a shell, whatever it holds. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
