import { afterOptions, optionValue, type Prefix } from './options.ts'
import type { Runs } from './runs.ts'

/** Programs whose subcommands run the command behind them, and behind so many arguments of their own. */
const SUBCOMMANDS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  perf: { stat: 0, record: 0, trace: 0 },
  cmake: { env: 0, time: 0, chdir: 1 },
  npm: { exec: 0, x: 0 },
  pnpm: { exec: 0, dlx: 0 },
  yarn: { exec: 0, dlx: 0 },
  bundle: { exec: 0 },
  pipenv: { run: 0 },
  poetry: { run: 0 },
  uv: { run: 0 },
  conda: { run: 0 },
  rbenv: { exec: 0 },
  pyenv: { exec: 0 },
  mise: { exec: 0, x: 0 },
  direnv: { exec: 1 },
  singularity: { exec: 1 },
  apptainer: { exec: 1 },
  toolbox: { run: 0 },
  machinectl: { shell: 1 },
  crictl: { exec: 1 },
  distrobox: { enter: 0 },
}
/** Programs that give the words behind these to a shell elsewhere. */
const SHELL_WORDS = new Map([
  ['salt', /^cmd\.(?:run|shell)\w*$/],
  ['salt-call', /^cmd\.(?:run|shell)\w*$/],
])
const COMPILERS = /^(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|cpp)(?:-[\d.]+)?$/
/** Programs that connect one thing with another, which may be a program. */
const SOCKETS = new Set(['socat', 'filan', 'procan'])
const RUN_BY_SOCAT = /(?:^|:)(?:exec|system|shell)(?:-\w+)?:((?:\\.|[^,\\])*)/is
/** Options of plink, putty and their kin whose value is the next word. */
const PUTTY = new Set(['plink', 'putty', 'pscp', 'psftp'])
const PUTTY_VALUES = /^-(?:P|l|pw|pwfile|i|load|m|hostkey|proxycmd|[RLD]|nc|cert|sercfg|sshlog|sshrawlog|logoverwrite)$/
/** Programs that start another in a window, which begins behind such a word. */
const WINDOWS =
  /^(?:[ux]?x?term|urxvtc?|rxvt|konsole|xfce4-terminal|lxterminal|mate-terminal|gnome-terminal|x-terminal-emulator|alacritty|kitty|st)$/
const IN_WINDOW = new Set(['-e', '-x', '--', '--command', '--execute'])
/** Letters of options after which an argument of a Prefix is none: what is behind them is handed to a shell. */
const BEHIND_MARK = new Set(['capsh'])
/** Programs that run the words behind two hyphens. */
const BEHIND_HYPHENS = new Set(['mosh-server', 'lxc-attach', 'systemd-nspawn', 'distrobox-enter'])
/** Programs that give each of their arguments to a shell. */
const EACH = new Set(['pee', 'hyperfine'])

const script = (text: string | undefined): Runs[] => (text?.trim() ? [{ kind: 'script', text: text.trim() }] : [])
const command = (argv: readonly string[]): Runs[] =>
  argv.length ? [{ kind: 'command', argv: [...argv], by: 'prefix' }] : []

/** Commands of programs that start something else first: builds, windows, machines, sockets. */
export function launched(name: string, words: readonly string[]): Runs[] {
  const subcommands = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined
  if (subcommands) return bySubcommand(words, subcommands)
  if (SOCKETS.has(name)) return words.flatMap((word) => script(RUN_BY_SOCAT.exec(word)?.[1]?.replace(/\\(.)/g, '$1')))
  if (COMPILERS.test(name) && words.includes('-wrapper'))
    return command((words[words.indexOf('-wrapper') + 1] ?? '').split(','))
  if (name === 'ansible' || name === 'ansible-console') return byAnsible(words)
  if (PUTTY.has(name)) return byPutty(name, words)
  if (WINDOWS.test(name)) {
    const at = words.findIndex((word) => IN_WINDOW.has(word))
    const rest = words.slice(at + 1)
    return at < 0 ? [] : rest.length === 1 ? script(rest[0]) : command(rest)
  }
  if (BEHIND_MARK.has(name)) return byCapsh(words)
  if (BEHIND_HYPHENS.has(name)) return words.includes('--') ? command(words.slice(words.indexOf('--') + 1)) : []
  if (EACH.has(name)) return words.flatMap(script)
  if (name === 'lftp') return words.flatMap((word) => shellEscapes(word).flatMap(script))
  if (/^(?:nc|ncat|netcat)$/.test(name))
    return [...script(optionValue(words, 'c', '--sh-exec')), ...script(optionValue(words, 'e', '--exec'))]
  if (/^(?:pdsh|pssh|parallel-ssh|clush|dsh)$/.test(name))
    return script(afterOptions(words, { values: 'wxglfuthHAopeO' } satisfies Prefix).join(' '))
  const mark = SHELL_WORDS.get(name)
  const at = mark ? words.findIndex((word) => mark.test(word)) : -1
  return at < 0 ? [] : script(words.slice(at + 1).join(' '))
}

function bySubcommand(words: readonly string[], subcommands: Readonly<Record<string, number>>): Runs[] {
  const at = words.findIndex((word) => Object.hasOwn(subcommands, word))
  if (at < 0) return []
  const rest = words.slice(at + 1)
  const text = optionValue(rest, 'c', '--call')
  const operands = subcommands[words[at] as string] ?? 0
  return [...script(text), ...command(afterOptions(rest, { values: 'poegC', operands }))]
}

/** Texts that it passes to modules: for a shell, as most of those that run something take them. */
function byAnsible(words: readonly string[]): Runs[] {
  const text = optionValue(words, 'a', '--args')
  return [...script(text), ...script(/\bcmd=(["']?)(.*)\1/s.exec(text ?? '')?.[2])]
}

function byPutty(name: string, words: readonly string[]): Runs[] {
  const proxy = words.indexOf('-proxycmd')
  const rest = words.filter((word, at) => !word.startsWith('-') && !PUTTY_VALUES.test(words[at - 1] ?? ''))
  return [...(proxy < 0 ? [] : script(words[proxy + 1])), ...(name === 'plink' ? script(rest.slice(1).join(' ')) : [])]
}

/** Behind its mark stand the words of a shell. */
function byCapsh(words: readonly string[]): Runs[] {
  const at = words.findIndex((word) => /^(?:--|==|-\+|=\+|-)$/.test(word))
  return at < 0 ? [] : command(['bash', ...words.slice(at + 1)])
}

/** Commands for a shell among those of a program that divides its own by semicolons. */
function shellEscapes(text: string): string[] {
  return [...text.matchAll(/(?:^|[;\n&|])\s*!\s*([^;\n]+)/g)].map(([, one = '']) => one)
}
