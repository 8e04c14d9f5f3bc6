import { afterOptions, optionValue } from './options.ts'
import type { Runs } from './runs.ts'

/** Programs that give the value of an option to a shell: its letter, and its long name. */
const TEXTS: ReadonlyMap<string, readonly [letter: string, long: string]> = new Map(
  Object.entries({
    'compgen complete mapfile readarray': ['C', '-C'],
    tar: ['\0', '--to-command'],
  } satisfies Record<string, [string, string]>).flatMap(([names, option]) =>
    names.split(' ').map((name) => [name, option as [string, string]] as const),
  ),
)
/** Programs that run the words of an option's value, without a shell. */
const WORDS: ReadonlyMap<string, readonly [letter: string, long: string]> = new Map([
  ['man', ['P', '--pager']],
  ['rsync', ['e', '--rsh']],
])
/** Editors and pagers, which run what is behind a mark in the commands that they begin with. */
const EDITORS = new Set(['vi', 'vim', 'nvim', 'view', 'ex', 'vimdiff', 'rvim', 'less', 'more', 'most'])
const DEBUGGERS = new Set(['gdb', 'lldb'])
const CLIENTS = new Set(['psql', 'mysql', 'mariadb', 'sqlite3'])
/** `:!ls`, `+!ls`, `silent !ls`; `shell ls`; `\! ls`, `system ls`, `.shell ls`. */
const ESCAPES: readonly (readonly [names: ReadonlySet<string>, escape: RegExp])[] = [
  [EDITORS, /^\+?:*(?:sil(?:ent)?!?\s+)?!\s*(.+)/s],
  [DEBUGGERS, /^(?:!|shell\s|platform\s+shell\s)\s*(.+)/s],
  [CLIENTS, /(?:\\!|^\.(?:shell|system)\s|^system\s)\s*(.+)/s],
]
/** What `bind` gives a key: a text that is typed, in quotes, or with -x a command. */
const BOUND = /^\s*(?:"(?:\\.|[^"\\])*"|[^\s:"]+)\s*:?\s*(.+)/s
const QUOTED = /^(["'])(.*)\1\s*$/s
const DYNAMIC_LOADER = /^ld(?:-linux|-musl|64)?[\w.-]*\.so[\w.]*$/
/** Settings of git that are run: aliases with a mark, and names of programs. */
const RUN_BY_GIT =
  /^(?:alias\.[^=]*=!|(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass)|sequence\.editor|pager\.[^=]*|diff\.[^=]*|merge\.[^=]*|filter\.[^=]*|credential\.[^=]*helper|gpg\.[^=]*program)=!?)(.*)/is
/** Settings of ssh that a shell runs. */
const RUN_BY_SSH = /^(?:proxy|local|knownhosts)command\s*[=\s]\s*(.+)/is
/** Returns among keys that programs type. */
const RETURNS = /\^[MJ]|\\(?:[rn]|0?1[25]|C-[mj]|x0?[ad])/gi

const script = (text: string | undefined): Runs[] => (text?.trim() ? [{ kind: 'script', text: text.trim() }] : [])

/** What a program runs because an option says so. */
export function ranByOptions(name: string, words: readonly string[]): Runs[] {
  const text = TEXTS.get(name)
  if (text) return script(optionValue(words, ...text)).concat(name === 'tar' ? atCheckpoints(words) : [])
  const option = WORDS.get(name)
  const value = option && optionValue(words, ...option)
  if (value !== undefined) return [{ kind: 'command', argv: value.split(/\s+/).filter(Boolean), by: 'prefix' }]
  if (name === 'bind') return bound(words)
  if (name === 'bindkey' && words.some((word) => /^-[a-zA-Z]*s/.test(word))) return typed(words.at(-1))
  if (name === 'git') return words.flatMap((word) => script(RUN_BY_GIT.exec(word)?.[1]))
  if (name === 'screen' && words.includes('stuff')) return typed(words[words.indexOf('stuff') + 1])
  if (DYNAMIC_LOADER.test(name)) return [{ kind: 'command', argv: afterOptions(words, {}), by: 'prefix' }]
  const mark = ESCAPES.find(([names]) => names.has(name))?.[1]
  return mark ? words.flatMap((word) => script(mark.exec(word)?.[1])) : []
}

/** What ssh runs on this side, as its settings say. */
export function ranBySettings(words: readonly string[]): Runs[] {
  return words.flatMap((word, at) => {
    const setting = word.startsWith('-o') ? word.slice(2) || (words[at + 1] ?? '') : ''
    return script(RUN_BY_SSH.exec(setting)?.[1])
  })
}

function bound(words: readonly string[]): Runs[] {
  const command = BOUND.exec(optionValue(words, 'x', '-x') ?? '')?.[1]
  const texts = words.map((word) => QUOTED.exec(BOUND.exec(word)?.[1] ?? '')?.[2])
  return [...script(command), ...texts.flatMap(typed)]
}

/** Keys that are typed for somebody, in which backslashes and carets stand for others. */
function typed(keys: string | undefined): Runs[] {
  return script(keys && `eval $'${keys.replace(RETURNS, '\n').replaceAll("'", "\\'")}'`)
}

function atCheckpoints(words: readonly string[]): Runs[] {
  return words.flatMap((word) => script(/^--checkpoint-action=exec=(.*)/s.exec(word)?.[1]))
}
