import { afterOptions, optionValue } from './options.ts'
import type { Runs } from './runs.ts'

/** Programs that give the value of an option to a shell: its letter, and its long name. */
const TEXTS: ReadonlyMap<string, readonly [letter: string, long: string]> = new Map(
  Object.entries({
    'compgen complete mapfile readarray': ['C', '-C'],
    npx: ['c', '--call'],
    'mysql mariadb': ['\0', '--pager'],
    'nix-shell': ['\0', '--run'],
  } satisfies Record<string, [string, string]>).flatMap(([names, option]) =>
    names.split(' ').map((name) => [name, option as [string, string]] as const),
  ),
)
/** Programs that run the words of an option's value, without a shell. */
const WORDS: ReadonlyMap<string, readonly (readonly [letter: string, long: string])[]> = new Map([
  [
    'man',
    [
      ['P', '--pager'],
      ['H', '--html'],
    ],
  ],
  [
    'rsync',
    [
      ['e', '--rsh'],
      ['\0', '--rsync-path'],
    ],
  ],
  ['scp', [['S', '-S']]],
  [
    'sftp',
    [
      ['S', '-S'],
      ['D', '-D'],
    ],
  ],
  ['sort', [['\0', '--compress-program']]],
  ['split', [['\0', '--filter']]],
  [
    'zip',
    [
      ['\0', '-TT'],
      ['\0', '--unzip-command'],
    ],
  ],
  [
    'start-stop-daemon',
    [
      ['x', '--exec'],
      ['a', '--startas'],
    ],
  ],
  ['fc', [['e', '-e']]],
])
/** Long options of tar, which may be cut short, whose value is run. */
const RUN_BY_TAR = /^--(?:to-co\w*|use-comp[\w-]*|rsh\w*|rmt\w*|info\w*|new-vol[\w-]*)(?:=(.*))?$/s
const LETTERS_OF_TAR = /^-?[a-zA-Z]*[IF](.*)$/s
/** Editors and pagers, which run what is behind a mark in the commands that they begin with. */
const EDITORS = new Set(['vi', 'vim', 'nvim', 'view', 'ex', 'vimdiff', 'rvim', 'less', 'more', 'most'])
const DEBUGGERS = new Set(['gdb', 'lldb'])
const CLIENTS = new Set(['psql', 'mysql', 'mariadb', 'sqlite3'])
/** `:!ls`, `+!ls`, `silent !ls`; `shell ls`; `\! ls`, `system ls`, `.shell ls`. */
const ESCAPES: readonly (readonly [names: ReadonlySet<string>, escape: RegExp])[] = [
  [EDITORS, /^\+?:*(?:sil(?:ent)?!?\s+)?!\s*(.+)/s],
  [DEBUGGERS, /^(?:-[\w-]+=)?(?:!|shell\s|platform\s+shell\s)\s*(.+)/s],
  [CLIENTS, /(?:\\!|^\.(?:sh\w*|sys\w*)\s|^system\s|(?:^|[\s=])\||\bprogram\s+')\s*((?:[^']|'(?=.))+)/is],
]
/** Value that `bind` gives a key: a text that is typed, in quotes, or with -x a command. */
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

/** Commands that a program runs because of an option. */
export function ranByOptions(name: string, words: readonly string[]): Runs[] {
  const text = TEXTS.get(name)
  const ran = text ? [...script(optionValue(words, ...text)), ...script(expanded(name, words))] : []
  if (ran.length) return ran
  if (name === 'tar' || name === 'bsdtar') return byTar(words)
  const values = (WORDS.get(name) ?? []).flatMap((option) => optionValue(words, ...option) ?? [])
  const named = values.flatMap(command)
  if (name === 'scp' || name === 'sftp') named.push(...ranBySettings(words))
  if (named.length) return named
  if (name === 'jobs' && words[0] === '-x') return command(words.slice(1).join(' '))
  if (name === 'bind') return bound(words)
  if (name === 'bindkey' && words.some((word) => /^-[a-zA-Z]*s/.test(word))) return typed(words.at(-1))
  if (name === 'git') return byGit(words)
  if (name === 'screen' && words.includes('stuff')) return typed(words[words.indexOf('stuff') + 1])
  if (DYNAMIC_LOADER.test(name)) return [{ kind: 'command', argv: afterOptions(words, {}), by: 'prefix' }]
  const mark = ESCAPES.find(([names]) => names.has(name))?.[1]
  return mark ? words.flatMap((word) => script(mark.exec(word)?.[1])) : []
}

/** Commands that ssh runs on this side, by its settings. */
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

/** Keys that are typed for somebody, in which backslashes and carets escape others. */
function typed(keys: string | undefined): Runs[] {
  return script(keys && `eval $'${keys.replace(RETURNS, '\n').replaceAll("'", "\\'")}'`)
}

const command = (text: string): Runs[] => [{ kind: 'command', argv: text.split(/\s+/).filter(Boolean), by: 'prefix' }]

/** Words that completion makes are expanded: their substitutions run. */
function expanded(name: string, words: readonly string[]): string | undefined {
  const list = name.startsWith('comp') ? optionValue(words, 'W', '-W') : undefined
  return list && /\$\(|`/.test(list) ? list : undefined
}

function byTar(words: readonly string[]): Runs[] {
  return words.flatMap((word, at) => {
    const next = words[at + 1] ?? ''
    const action = /^--checkpoint-a\w*(?:-\w+)?(?:=(.*))?$/s.exec(word)
    if (action) return script(/^exec=(.*)/s.exec(action[1] ?? next)?.[1])
    const long = RUN_BY_TAR.exec(word)
    if (long) return script(long[1] ?? next)
    const letters = word.startsWith('--') ? null : LETTERS_OF_TAR.exec(word)
    return letters ? script(letters[1] || next) : []
  })
}

/** Settings, and what commands of git run by their words and options. */
function byGit(words: readonly string[]): Runs[] {
  const rest = words.join(' ')
  const set = /\bconfig\s+(?:-\S+\s+)*([\w.-]+)\s+(.+)$/s.exec(rest)
  const runs = /\b(?:bisect\s+run|submodule\s+(?:--quiet\s+)?foreach(?:\s+--recursive)?)\s+(.+)$/s.exec(rest)
  const options = words.flatMap((word, at) => {
    const [, long, value] =
      /^(--(?:upload-pack|receive-pack|exec|extcmd|open-files-in-pager))(?:=(.*))?$/s.exec(word) ?? []
    if (long !== undefined) return value ?? words[at + 1] ?? ''
    if (/^-[xu]$/.test(word)) return words[at + 1] ?? ''
    return /^-O(.+)/s.exec(word)?.[1] ?? /^ext::(.+)/s.exec(word)?.[1] ?? []
  })
  return [
    ...words.flatMap((word) => script(RUN_BY_GIT.exec(word)?.[1])),
    ...(set ? script(RUN_BY_GIT.exec(`${set[1]}=${set[2]}`)?.[1]) : []),
    ...script(runs?.[1]),
    ...options.flatMap(script),
  ]
}
