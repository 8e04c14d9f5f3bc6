/** What a command runs besides itself. */
export type Runs =
  /** Another command: its last arguments (`sudo ls`), an action of find, or completed by its input. */
  | { kind: 'command'; argv: string[]; by: 'prefix' | 'find' | 'input' }
  /** A text that a shell reads. */
  | { kind: 'script'; text: string }
  /** A shell that reads its input, or a file. */
  | { kind: 'input' }
  | { kind: 'file'; path: string }

interface Prefix {
  /** Letters of options that have a value. */
  values?: string
  /** Arguments of its own before the command. */
  operands?: number
  /** An assignment is the beginning of the command. */
  isAssignment?: boolean
}

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
  // Of fish.
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
/** Long options of those programs whose value is the next word. */
const LONG_WITH_VALUE = new Set(
  `--user --group --chdir --chroot --host --prompt --role --type --close-from --command-timeout --other-user --unset
  --adjustment --kill-after --signal --class --classdata --input --output --error --max-args --max-procs --delimiter
  --cwd --mode --project --env --volume --workdir --network --publish --entrypoint --name --arg-file --eof --max-lines --max-chars --format --property --unit --uid --gid --timeout --wait --jobs`.split(
    /\s+/,
  ),
)
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ksh93', 'mksh', 'ash', 'rbash', 'fish', 'csh', 'tcsh'])
/** Options of shells whose value is the next word. */
const SHELL_OPTION_WITH_VALUE = /^[-+][a-zA-Z]*[oO]$|^--(?:rcfile|init-file)$/
/** Programs that give the text after `-c` to a shell. */
const COMMAND_OPTION = new Set(['su', 'runuser', 'script', 'flock', 'sg', 'newgrp'])
/** Programs that run a shell when no command is given. */
const OWN_SHELL = new Set(['sudo', 'doas', 'chroot', 'unshare', 'systemd-run', 'dbus-run-session', 'fakeroot'])
/** Programs that give what follows the name of a machine to a shell there. */
const REMOTE = new Set(['ssh', 'slogin', 'rsh', 'autossh', 'mosh'])
/** Programs that read commands for later. */
const LATER = new Set(['at', 'batch'])
/** Programs whose subcommands run another in a container. */
const CONTAINERS = new Set(['docker', 'docker-compose', 'podman', 'nerdctl', 'lxc'])
const CLUSTERS = new Set(['kubectl', 'oc'])
/** What runs something in a pane of tmux, or types it there, and the letters of its options with a value. */
const IN_PANES = new Map(
  Object.entries({
    'new new-session': 'cefFnstxy',
    'neww new-window': 'ceFnt',
    'splitw split-window': 'ceFlpt',
    'respawnp respawn-pane respawnw respawn-window': 'cet',
    'popup display-popup': 'bcdehsStTwxy',
    'run run-shell': 'cdt',
    'pipep pipe-pane': 't',
    'send send-keys': 'cNt',
  }).flatMap(([names, values]) => names.split(' ').map((name) => [name, values] as const)),
)
const FIND_ACTIONS = new Set(['-exec', '-execdir', '-ok', '-okdir'])

export function nameOf(argv: readonly string[]): string {
  const path = argv[0] ?? ''
  return path.slice(path.lastIndexOf('/') + 1)
}

/** What else runs when this command does, as far as its words say. */
export function runsOf(argv: readonly string[]): Runs[] {
  const name = nameOf(argv)
  const words = argv.slice(1)
  if (SHELLS.has(name.replace(/^-/, ''))) return [shellRuns(words)]
  const [first = ''] = words
  if (name === 'eval') return [{ kind: 'script', text: words.join(' ') }]
  if (name === 'source' || name === '.') return [{ kind: 'file', path: first }]
  if (name === 'trap' && words.length > 1) return [{ kind: 'script', text: first === '--' ? (words[1] ?? '') : first }]
  if (name === 'alias') return words.flatMap((word) => aliased(word))
  if (name === 'abbr') return abbreviated(words)
  if (name === 'tmux') return paned(words)
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
  // In zsh it stands for the path of that program.
  if (/^=./.test(name)) return [{ kind: 'command', argv: [name.slice(1), ...words], by: 'prefix' }]
  const prefix = Object.hasOwn(PREFIXES, name) ? PREFIXES[name] : undefined
  if (!prefix) return []
  return prefixed(name, words, prefix)
}

function prefixed(name: string, words: readonly string[], prefix: Prefix): Runs[] {
  const split = name === 'env' ? optionValue(words, 'S', '--split-string') : undefined
  if (split !== undefined) return [{ kind: 'script', text: split }]
  const isAsking = name === 'command' && /^-[vV]/.test(words[0] ?? '')
  const argv = isAsking ? [] : afterOptions(words, prefix)
  const by = name === 'xargs' || name === 'parallel' ? 'input' : 'prefix'
  if (argv.length) return [{ kind: 'command', argv, by }]
  return OWN_SHELL.has(name) && !isAsking ? [{ kind: 'input' }] : []
}

function shellRuns(words: readonly string[]): Runs {
  const at = words.findIndex((word, n) => !/^[-+]/.test(word) && !SHELL_OPTION_WITH_VALUE.test(words[n - 1] ?? ''))
  const operand = at < 0 ? undefined : words[at]
  const options = at < 0 ? words : words.slice(0, at)
  if (options.some((one) => /^-[a-zA-Z]*c/.test(one))) return { kind: 'script', text: operand ?? '' }
  const isInput = operand === undefined || options.some((one) => /^-[a-zA-Z]*s/.test(one))
  return isInput ? { kind: 'input' } : { kind: 'file', path: operand }
}

function contained(name: string, words: readonly string[]): Runs[] {
  const at = words.findIndex((word) => word === 'exec' || word === 'run')
  if (at < 0) return []
  const rest = words.slice(at + 1)
  const argv = CLUSTERS.has(name)
    ? rest.slice(rest.indexOf('--') + 1 || rest.length)
    : inContainer(name, afterOptions(rest, { values: 'euwvplmh', operands: 1 }))
  return argv.length ? [{ kind: 'command', argv, by: 'prefix' }] : []
}

/** Options of lxc may stand behind the name of the container as well. */
function inContainer(name: string, words: string[]): string[] {
  return name === 'lxc' || words[0] === '--' ? afterOptions(words, {}) : words
}

/** What `ip` runs in a network name space, or in each. */
function named(words: readonly string[]): Runs[] {
  const at = words.indexOf('exec')
  if (at < 0) return []
  const isInAll = words.slice(0, at).some((word) => /^--?al?l?$/.test(word))
  return [{ kind: 'command', argv: words.slice(at + (isInAll ? 1 : 2)), by: 'prefix' }]
}

/** What `tmux` runs in panes, or types into them: each of its commands ends at a semicolon. */
function paned(words: readonly string[]): Runs[] {
  const runs: Runs[] = []
  let rest = words
  while (rest.length) {
    const end = rest.findIndex((word) => word.endsWith(';'))
    const command = end < 0 ? rest : [...rest.slice(0, end), (rest[end] as string).slice(0, -1)]
    const at = command.findIndex((word) => IN_PANES.has(word))
    const values = IN_PANES.get(command[at] ?? '')
    const text =
      at < 0
        ? ''
        : afterOptions(command.slice(at + 1), { values })
            .join(' ')
            .trim()
    if (text) runs.push({ kind: 'script', text })
    rest = end < 0 ? [] : rest.slice(end + 1)
  }
  return runs
}

function aliased(word: string): Runs[] {
  const at = word.indexOf('=')
  return at > 0 ? [{ kind: 'script', text: word.slice(at + 1) }] : []
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

/** Options may stand behind the name of the machine as well. */
function remote(name: string, words: readonly string[]): Runs[] {
  // To ssh itself -M is a switch; autossh has a port behind it.
  const own = { values: `BbcDEeFIiJLlmOopPQRSWw${name === 'autossh' ? 'M' : ''}` }
  const [, ...rest] = afterOptions(words, own)
  const command = afterOptions(rest, { ...own, isAssignment: true })
  return [command.length ? { kind: 'script', text: command.join(' ') } : { kind: 'input' }]
}

/** `abbr -a name words…` of fish, which puts them in place of the name. */
function abbreviated(words: readonly string[]): Runs[] {
  const [, ...text] = afterOptions(words, { values: 'pf' })
  return text.length ? [{ kind: 'script', text: text.join(' ') }] : []
}

/** What follows options, assignments and operands of a program's own. */
function afterOptions(words: readonly string[], { values = '', operands = 0, isAssignment }: Prefix): string[] {
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at] as string
    if (word === '--') {
      at++
      break
    }
    if (word.startsWith('--')) at += LONG_WITH_VALUE.has(word) ? 1 : 0
    else if (/^-./.test(word)) {
      const place = [...word.slice(1)].findIndex((letter) => values.includes(letter))
      if (place === word.length - 2) at++
    } else if (word !== '-' && (isAssignment || !/^[A-Za-z_]\w*=/.test(word))) break
  }
  return words.slice(at + operands)
}

function optionValue(words: readonly string[], letter: string, long: string): string | undefined {
  for (const [at, word] of words.entries()) {
    if (word === long) return words[at + 1]
    if (word.startsWith(`${long}=`)) return word.slice(long.length + 1)
    if (word.startsWith('--') || !word.startsWith('-')) continue
    const place = word.indexOf(letter)
    if (place > 0) return place === word.length - 1 ? words[at + 1] : word.slice(place + 1)
  }
  return undefined
}
