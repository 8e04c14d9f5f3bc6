import type ssh2 from 'ssh2'
import { inBackground } from '../../../kernel/background.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Gateway } from '../../gateway.ts'
import type { Program, TerminalSize } from '../../kinds/terminal/streams.ts'
import { MachineConnections } from '../../machines/machine-connections.ts'
import type { Person } from '../../session/person.ts'
import { runDirect } from './direct-channel.ts'
import type { ForwardingLimits } from './forwarding/limits.ts'
import { serveForwarding } from './forwarding/serve-forwarding.ts'
import type { LoginName } from './login-name.ts'
import { runMenu } from './menu-channel.ts'
import { type ChannelWork, closeChannel } from './program-channel.ts'
import { runSftp } from './sftp-channel.ts'
import type { SshSignIn } from './sign-in.ts'

/** Channels on one connection. */
const MAX_CHANNELS = 256
/**
 * Variables that a client may set on machines: its language, and what its terminal can do. Machines
 * accept those that their own settings allow.
 */
const VARIABLES = /^(?:LANG|LANGUAGE|LC_[A-Z]{1,32}|TERM|COLORTERM|TZ|NO_COLOR)$/
const VARIABLE_MAX = 256
/**
 * Limit of the variables of a channel: there are as many names as a client likes, and each is kept.
 */
const VARIABLES_MAX = 64
const SIZE_MAX = 1000

interface Requested {
  terminal: NonNullable<Program['terminal']> | undefined
  env: Record<string, Buffer>
}

/** Serves one SSH connection of a person who has signed in. */
export function serveConnection(
  kernel: Kernel,
  gateway: Gateway,
  client: ssh2.Connection,
  person: Person,
  { name, listed }: SshSignIn,
  forwarding: ForwardingLimits,
): void {
  const works = new Set<ChannelWork>()
  const machines = new MachineConnections(kernel)
  const own: Gateway = { ...gateway, open: (request, gone) => gateway.open({ ...request, machines }, gone) }
  let channels = 0
  const leave = gateway.presence.enter({
    userId: person.id,
    signIn: listed.signIn,
    atWork: true,
    allowed: async () => true,
    dismiss(words) {
      for (const work of works) work.end(words)
      inBackground(Promise.allSettled([...works].map(({ over }) => over)).then(() => client.end()))
    },
  })
  client.once('close', () => {
    leave()
    machines.close()
    inBackground(listed.close())
  })
  serveForwarding(client, { kernel, gateway: own, person, limits: forwarding, direct: name.direct, works })
  client.on('session', (accept, reject) => {
    if (channels >= MAX_CHANNELS) return reject()
    const session = accept()
    channels++
    session.once('close', () => channels--)
    serveChannel({ kernel, gateway: own, machines, person, direct: name.direct, works }, session)
  })
}

interface ChannelParts {
  kernel: Kernel
  gateway: Gateway
  machines: MachineConnections
  person: Person
  /** The target in the user name; without one, people choose from the menu. */
  direct: LoginName['direct']
  /** Work that runs on the connection. */
  works: Set<ChannelWork>
}

/** The requests of one channel (RFC 4254 §6): what is to run in it, and how. */
function serveChannel(parts: ChannelParts, session: ssh2.Session): void {
  const { kernel, machines, person, direct, works } = parts
  const requested: Requested = { terminal: undefined, env: {} }
  let work: ChannelWork | undefined
  session.on('pty', (yes, _no, info) => {
    const { term, modes } = info as unknown as { term: string; modes: Buffer }
    requested.terminal = { type: (term || 'xterm').slice(0, 64), size: sizeOf(info), modes }
    yes?.()
  })
  session.on('env', (yes, no, { key, val }: { key: string; val: Buffer }) => {
    if (!VARIABLES.test(key) || val.length > VARIABLE_MAX) return no?.()
    const { env } = requested
    if (!Object.hasOwn(env, key) && Object.keys(env).length >= VARIABLES_MAX) return no?.()
    env[key] = val
    person.language = languageOf(requested.env) ?? person.language
    yes?.()
  })
  session.on('window-change', (yes, _no, info) => {
    if (requested.terminal) requested.terminal.size = sizeOf(info)
    work?.resize(sizeOf(info))
    yes?.()
  })
  session.on('signal', (yes, _no, { name: signal }) => {
    work?.signal(signal)
    yes?.()
  })
  const start = (
    accept: () => ssh2.ServerChannel | undefined,
    refuse: (() => void) | undefined,
    begin: (channel: ssh2.ServerChannel) => ChannelWork | undefined,
  ) => {
    const channel = accept()
    // A channel runs one program (RFC 4254 §6.5); the library has no channel for a second one.
    if (!channel) return refuse?.()
    channel.on('error', () => {})
    const begun = begin(channel)
    if (!begun) return
    work = begun
    works.add(begun)
    inBackground(begun.over.then(() => works.delete(begun)))
  }
  // Accepted at once: a quick client has already sent its input and the end of it.
  session.on('shell', (yes, no) => start(yes, no, (channel) => run(parts, channel, requested, undefined)))
  session.on('exec', (yes, no, { command }) =>
    start(yes, no, (channel) => run(parts, channel, requested, command as unknown as Buffer)),
  )
  // As a plain subsystem: the library's own SFTP server has no back-pressure.
  session.on('subsystem', (yes, no, { name: subsystem }) =>
    subsystem === 'sftp' ? start(yes, no, (channel) => runSftp(kernel, channel, person, direct, machines)) : no?.(),
  )
}

/** A shell or a command at the target, else the menu; a command without a target is refused. */
function run(
  { kernel, gateway, person, direct }: ChannelParts,
  channel: ssh2.ServerChannel,
  { terminal, env }: Requested,
  command: Buffer | undefined,
): ChannelWork | undefined {
  if (direct) {
    const program = { env, ...(terminal ? { terminal } : {}), ...(command === undefined ? {} : { command }) }
    return runDirect(kernel, gateway, channel, person, direct, program)
  }
  if (terminal && command === undefined) return runMenu(kernel, gateway, channel, person, terminal, env)
  channel.stderr.write(`${translate(person.language, 'Name the machine in the user name: user@systemuser@asset')}\n`)
  closeChannel(channel, { exitCode: 1 }, () => {})
  return undefined
}

/** The language of the client's system, if it states one. */
function languageOf(env: Record<string, Buffer>): Person['language'] | undefined {
  const locale = [env.LC_ALL, env.LC_MESSAGES, env.LANG].find((value) => value?.length)?.toString() ?? ''
  if (/^zh/i.test(locale)) return 'cn'
  return /^[a-z]{2}[_.@-]/i.test(locale) ? 'en' : undefined
}

function sizeOf({ cols, rows }: { cols: number; rows: number }): TerminalSize {
  const within = (value: number, standard: number) => (value > 0 ? Math.min(value, SIZE_MAX) : standard)
  return { cols: within(cols, 80), rows: within(rows, 24) }
}
