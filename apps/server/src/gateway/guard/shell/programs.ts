import { launched } from './launchers.ts'
import { ranByOptions, ranBySettings } from './option-scripts.ts'
import { afterOptions, optionValue, type Prefix } from './options.ts'
import type { Runs } from './runs.ts'
import { isOfTmux, paned } from './tmux.ts'
import { ranByVariable } from './variable-scripts.ts'

/** Programs that run the command which their arguments are. */
const PREFIXES: Readonly<Record<string, Prefix>> = {
  sudo: { values: 'ugCprtThDUaRc' },
  doas: { values: 'uC' },
  env: { values: 'uCS' },
  nohup: {},
  time: { values: 'fo' },
  nice: { values: 'n' },
  ionice: { values: 'cnpPu' },
  stdbuf: { values: 'ioe' },
  setsid: {},
  timeout: { values: 'ks', operands: 1 },
  chroot: { operands: 1 },
  command: {},
  builtin: {},
  exec: { values: 'a' },
  busybox: {},
  toybox: {},
  unshare: {},
  setarch: { operands: 1 },
  linux32: {},
  linux64: {},
  i386: {},
  i686: {},
  x86_64: {},
  uname26: {},
  choom: { values: 'np' },
  cpulimit: { values: 'lpe' },
  faketime: { operands: 1 },
  'ssh-agent': { values: 'aEOPt' },
  'xvfb-run': { values: 'efnpsw' },
  numactl: { values: 'CNmipPHlx' },
  'dbus-launch': {},
  tini: { values: 'egp' },
  'dumb-init': { values: 'r' },
  catatonit: {},
  cgexec: { values: 'g' },
  'aa-exec': { values: 'pni' },
  fakechroot: { values: 'dce' },
  proot: { values: 'rbqwmikv' },
  ifne: {},
  sem: { values: 'j' },
  timelimit: { values: 'tTsS' },
  retry: { values: 'dt' },
  openvt: { values: 'c' },
  super: {},
  calife: {},
  gksudo: { values: 'u' },
  kdesu: { values: 'un' },
  tsocks: {},
  setlock: { operands: 1 },
  envdir: { operands: 1 },
  envuidgid: { operands: 1 },
  torsocks: {},
  proxychains: { values: 'f' },
  proxychains4: { values: 'f' },
  catchsegv: {},
  daemonize: { values: 'acepulo' },
  softlimit: { values: 'acdflmnoprst' },
  taskset: { operands: 1 },
  chrt: { operands: 1 },
  flock: { values: 'wEc', operands: 1 },
  strace: { values: 'oepsEuaPb' },
  ltrace: { values: 'oepsu' },
  'systemd-run': { values: 'pEut' },
  'dbus-run-session': {},
  fakeroot: {},
  eatmydata: {},
  prlimit: {},
  pkexec: {},
  runcon: { values: 'turl', operands: 0 },
  noglob: {},
  nocorrect: {},
  coproc: {},
  '-': {},
  repeat: { operands: 1 },
  run0: { values: 'ugD' },
  gosu: { operands: 1 },
  'su-exec': { operands: 1 },
  setuidgid: { operands: 1 },
  chronic: {},
  unbuffer: {},
  rlwrap: {},
  valgrind: {},
  firejail: {},
  entr: {},
  sshpass: { values: 'pfdP' },
  'systemd-inhibit': {},
  // Keywords of fish.
  and: {},
  or: {},
  not: {},
  nsenter: { values: 'tSG' },
  setpriv: {},
  screen: { values: 'cehpsSTt' },
  '{': {},
  chpst: { values: 'uUbemdofpcrt/' },
  xargs: { values: 'aEIdLnPs' },
  parallel: { values: 'jNI' },
}
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ksh93', 'mksh', 'ash', 'rbash', 'fish', 'csh', 'tcsh'])
/** Options of shells whose value is the next word. */
const SHELL_OPTION_WITH_VALUE = /^[-+][a-zA-Z]*[oO]$|^--(?:rcfile|init-file)$/
/** Programs that give the text after `-c` to a shell. */
const COMMAND_OPTION = new Set(['su', 'runuser', 'script', 'flock', 'sg', 'newgrp'])
/** Programs that run a shell when no command is given. */
const OWN_SHELL = new Set(
  'sudo doas chroot unshare systemd-run dbus-run-session fakeroot fakechroot nsenter setarch linux32 linux64 firejail proot ssh-agent'.split(
    ' ',
  ),
)
/** Programs that give what follows the name of a machine to a shell there. */
const REMOTE = new Set(['ssh', 'slogin', 'rsh', 'autossh', 'mosh'])
/** Programs that read commands for later. */
const LATER = new Set(['at', 'batch'])
/** Programs whose subcommands run another in a container. */
const CONTAINERS = new Set(['docker', 'docker-compose', 'podman', 'nerdctl', 'lxc'])
const CLUSTERS = new Set(['kubectl', 'oc'])
const IN_CONTAINER: Prefix = { values: 'euwvplmh' }
const IN_CLUSTER: Prefix = { values: 'cfn' }
const FIND_ACTIONS = new Set(['-exec', '-execdir', '-ok', '-okdir'])

export function nameOf(argv: readonly string[]): string {
  const path = argv[0] ?? ''
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Commands that run when this one does, as far as its words say. */
export function runsOf(argv: readonly string[]): Runs[] {
  const name = nameOf(argv)
  const words = argv.slice(1)
  if (SHELLS.has(name.replace(/^-/, ''))) return [shellRuns(words), ...startUpOf(words)]
  const [first = ''] = words
  if (name === 'eval') return [{ kind: 'script', text: (first === '--' ? words.slice(1) : words).join(' ') }]
  if (name === 'emulate') return scriptOf(optionValue(words, 'c', '-c'))
  if (name === 'sched') return scriptOf(words.slice(1).join(' '))
  // fish reads its input without the name of a file.
  if (name === 'source' || name === '.') return [first ? { kind: 'file', path: first } : { kind: 'input' }]
  if (name === 'trap' && words.length > 1) return [{ kind: 'script', text: first === '--' ? (words[1] ?? '') : first }]
  if (name === 'alias') return aliases(words)
  if (name === 'hash') return hashed(words)
  if (name === 'abbr') return abbreviated(words)
  if (name === 'tmux') return paned(words)
  if (isOfTmux(name)) return paned(argv)
  if (name === 'parallel' && !afterOptions(words, PREFIXES.parallel as Prefix).length) return [{ kind: 'input' }]
  if (name === 'ip') return named(words)
  if (LATER.has(name)) return [{ kind: 'input' }]
  if (name === 'find') return found(words)
  if (CONTAINERS.has(name) || CLUSTERS.has(name)) return contained(name, words)
  if (name === 'watch') return [{ kind: 'script', text: afterOptions(words, { values: 'nd' }).join(' ') }]
  if (REMOTE.has(name)) return remote(name, words)
  if (COMMAND_OPTION.has(name)) {
    const text = optionValue(words, 'c', '--command')
    if (text !== undefined) return [{ kind: 'script', text }]
    if (name === 'sg' && words[1] !== undefined) return [{ kind: 'script', text: words[1] }]
    if (name === 'runuser' && words.includes('--'))
      return [{ kind: 'command', argv: words.slice(words.indexOf('--') + 1), by: 'prefix' }]
    if (name !== 'flock') return [{ kind: 'input' }]
  }
  // In zsh it expands to the path of that program.
  if (/^=./.test(name)) return [{ kind: 'command', argv: [name.slice(1), ...words], by: 'prefix' }]
  const prefix = Object.hasOwn(PREFIXES, name) ? PREFIXES[name] : undefined
  // The shell's own word for it may have options that only the program knows.
  if (/^-[fopaqv]/.test(name)) return [{ kind: 'command', argv: afterOptions(argv, { values: 'fo' }), by: 'prefix' }]
  return [...ranByOptions(name, words), ...launched(name, words), ...(prefix ? prefixed(name, words, prefix) : [])]
}

function prefixed(name: string, words: readonly string[], prefix: Prefix): Runs[] {
  const split = name === 'env' ? optionValue(words, 'S', '--split-string') : undefined
  if (split !== undefined) return [{ kind: 'script', text: split }]
  const isAsking = name === 'command' && /^-[vV]/.test(words[0] ?? '')
  // It may have the machine type as an operand, or not, with options before and behind that.
  const own = name === 'setarch' && words[0]?.startsWith('-') ? { ...prefix, operands: 0 } : prefix
  const behind = isAsking ? [] : afterOptions(words, own)
  const argv = name === 'setarch' ? afterOptions(behind, { isAssignment: true }) : behind
  const by = name === 'xargs' || name === 'parallel' ? 'input' : 'prefix'
  const assigned = words.slice(0, words.length - argv.length).flatMap(byAssignment)
  if (argv.length) return [{ kind: 'command', argv, by }, ...assigned]
  return OWN_SHELL.has(name) && !isAsking ? [{ kind: 'input' }] : []
}

const scriptOf = (text: string | undefined): Runs[] => (text?.trim() ? [{ kind: 'script', text }] : [])

/** Commands that a program runs because a variable is set for it. */
function byAssignment(word: string): Runs[] {
  const at = word.indexOf('=')
  return at > 0 ? ranByVariable(word.slice(0, at), word.slice(at + 1)) : []
}

/** Files that a shell reads before all else, and commands that fish runs then. */
function startUpOf(words: readonly string[]): Runs[] {
  const files = ['--rcfile', '--init-file'].flatMap((long) => optionValue(words, '\0', long) ?? [])
  const first = optionValue(words, 'C', '--init-command')
  return [...files.map((path): Runs => ({ kind: 'file', path })), ...scriptOf(first)]
}

function shellRuns(words: readonly string[]): Runs {
  const at = words.findIndex((word, n) => !/^[-+]/.test(word) && !SHELL_OPTION_WITH_VALUE.test(words[n - 1] ?? ''))
  const operand = at < 0 ? undefined : words[at]
  const options = at < 0 ? words : words.slice(0, at)
  const command = words.find((word) => word.startsWith('--command='))
  if (command !== undefined) return { kind: 'script', text: command.slice('--command='.length) }
  if (options.some((one) => /^-[a-zA-Z]*c/.test(one)) || options.includes('--command'))
    return { kind: 'script', text: operand ?? '', words: words.slice(at + 1) }
  const isInput = operand === undefined || options.some((one) => /^-[a-zA-Z]*s/.test(one))
  return isInput ? { kind: 'input' } : { kind: 'file', path: operand }
}

function contained(name: string, words: readonly string[]): Runs[] {
  return words.flatMap((word, at) => {
    if (word !== 'exec' && word !== 'run') return []
    const rest = words.slice(at + 1)
    const argv = CLUSTERS.has(name)
      ? inCluster(rest)
      : inContainer(name, afterOptions(rest, { ...IN_CONTAINER, operands: 1 }))
    return argv.length ? [{ kind: 'command', argv, by: 'prefix' } as const] : []
  })
}

/** Older clients take the words behind the name of the pod without the mark that divides them, too. */
function inCluster(words: readonly string[]): string[] {
  const at = words.indexOf('--')
  if (at >= 0) return words.slice(at + 1)
  return afterOptions(afterOptions(words, { ...IN_CLUSTER, operands: 1 }), IN_CLUSTER)
}

/** Options of lxc may be behind the name of the container as well. */
function inContainer(name: string, words: string[]): string[] {
  return name === 'lxc' || words[0] === '--' ? afterOptions(words, {}) : words
}

/** Commands that `ip` runs in a network name space, or in each. */
function named(words: readonly string[]): Runs[] {
  const at = words.indexOf('exec')
  if (at < 0) return []
  const isInAll = words.slice(0, at).some((word) => /^--?al?l?$/.test(word))
  return [{ kind: 'command', argv: words.slice(at + (isInAll ? 1 : 2)), by: 'prefix' }]
}

/** `alias name=text`; csh and fish have a blank between. */
function aliases(words: readonly string[]): Runs[] {
  const [first = '', ...rest] = afterOptions(words, { isAssignment: true })
  const apart = first.includes('=') ? [] : scriptOf(rest.join(' '))
  return [...words.flatMap((word) => scriptOf(word.slice(word.indexOf('=') + 1 || word.length))), ...apart]
}

/** `hash -p path name` of bash, `hash name=path` of zsh: another name for a program. */
function hashed(words: readonly string[]): Runs[] {
  const path = optionValue(words, 'p', '-p')
  const paths = words.flatMap((word) => (word.includes('=') ? [word.slice(word.indexOf('=') + 1)] : []))
  return [...(path === undefined ? [] : [path]), ...paths].map((one) => ({
    kind: 'command',
    argv: [one],
    by: 'prefix',
  }))
}

function found(words: readonly string[]): Runs[] {
  const runs: Runs[] = []
  for (const [at, word] of words.entries()) {
    if (!FIND_ACTIONS.has(word)) continue
    const rest = words.slice(at + 1)
    const end = rest.findIndex((one) => one === ';' || one === '+')
    runs.push({ kind: 'command', argv: end < 0 ? rest : rest.slice(0, end), by: 'find' })
  }
  return runs
}

/** Options may be behind the name of the machine as well. */
function remote(name: string, words: readonly string[]): Runs[] {
  // To ssh itself -M is a switch; autossh has a port behind it.
  const own = { values: `BbcDEeFIiJLlmOopPQRSWw${name === 'autossh' ? 'M' : ''}` }
  const [, ...rest] = afterOptions(words, own)
  const command = afterOptions(rest, { ...own, isAssignment: true })
  const there: Runs = command.length ? { kind: 'script', text: command.join(' ') } : { kind: 'input' }
  const texts = name === 'mosh' ? ['--ssh', '--server', '--client'] : []
  return [there, ...ranBySettings(words), ...texts.flatMap((long) => scriptOf(optionValue(words, '\0', long)))]
}

/** `abbr -a name words…` of fish, which puts them in place of the name. */
function abbreviated(words: readonly string[]): Runs[] {
  const [, ...text] = afterOptions(words, { values: 'pf' })
  return text.length ? [{ kind: 'script', text: text.join(' ') }] : []
}
