import type { Target } from '@sallyport/contract/target.ts'
import type ssh2 from 'ssh2'
import { inBackground } from '../../../kernel/background.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { onceUnread } from '../../../kernel/ssh/ssh2/end-of-reading.ts'
import { onceLeft } from '../../../kernel/ssh/ssh2/left-channels.ts'
import { shortAddress } from '../../explanation/short-address.ts'
import type { Gateway } from '../../gateway.ts'
import type { Owner, Program, TerminalSize } from '../../kinds/terminal/streams.ts'
import { TerminalDialogue } from '../../kinds/terminal/terminal-dialogue.ts'
import type { TerminalSession } from '../../kinds/terminal/terminal-session.ts'
import type { Dialogue, Progress } from '../../session/dialogue.ts'
import type { StreamEnd } from '../../session/live-session.ts'
import type { Notice } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { ChannelInput } from './channel-input.ts'

/** Exit code of OpenSSH's own client when it could not connect. */
const COULD_NOT_CONNECT = 255

/** A machine that takes no signals, and sends on although nobody reads, is left after so much. */
const UNREAD_BYTES = 8 * 1024 * 1024

export interface ProgramRequest {
  person: Person
  target: Target
  systemUserId: string
  program: Program
}

/** Work on the channel of a plain SSH client. */
export interface ChannelWork {
  resize(size: TerminalSize): void
  /** Without the leading SIG. */
  signal(name: string): void
  /** Ends it in whatever state it is. */
  end(words: Notice): void
  /** Settles when the channel got the end. */
  over: Promise<void>
}

export interface ProgramOptions {
  /** Keep the channel for what comes after, such as the menu. */
  keepOpen?: boolean
}

/**
 * Runs a program on a machine over the channel, whose input is its input from now on. Refusals are
 * shown to the person, and answered with exit code 255.
 */
export function runProgram(
  kernel: Kernel,
  gateway: Gateway,
  channel: ssh2.ServerChannel,
  request: ProgramRequest,
  { keepOpen = false }: ProgramOptions = {},
): ChannelWork {
  const { person, program } = request
  const { promise: over, resolve: isOver } = Promise.withResolvers<void>()
  const gone = new AbortController()
  let live: TerminalSession | undefined
  let latestSize = program.terminal?.size
  const onClose = () => gone.abort()
  const say = (text: string) => {
    if (program.terminal) channel.write(`\r\x1b[K\x1b[31m${text}\x1b[0m\r\n`)
    else channel.stderr.write(`${text}\n`)
  }
  const dialogue = dialogueOn(channel, program)
  const input = new ChannelInput(channel, () => live)
  // Only a terminal is read before the session is live: for answers to questions. A plain stream
  // waits in the client's window.
  if (dialogue instanceof TerminalDialogue) input.toDialogue(dialogue)

  const finish = (end: StreamEnd) => {
    channel.off('close', onClose)
    input.stop()
    if (keepOpen) isOver()
    else closeChannel(channel, end, isOver)
  }
  /** Bytes that came for nobody; undefined as long as somebody reads. */
  let unread: number | undefined
  onceUnread(channel, () => {
    unread = 0
  })
  /** As a pipe without a reader does: at the next write, not before. */
  const refuse = (bytes: Buffer) => {
    if (unread === 0) live?.signal('PIPE')
    unread = (unread ?? 0) + bytes.length
    if (unread > UNREAD_BYTES) inBackground(live?.end('left'))
    return true
  }
  const owner: Owner = {
    write(bytes, stream) {
      if (unread !== undefined && stream === 'stdout') return refuse(bytes)
      const target = stream === 'stderr' ? channel.stderr : channel
      if (target.write(bytes)) return true
      if (!target.listenerCount('drain')) target.once('drain', () => live?.ownerDrained())
      return false
    },
    close: finish,
  }
  channel.once('close', onClose)
  // Nothing is read from a plain stream before the session is live, so it does not close by itself.
  onceLeft(channel, () => {
    if (!live) gone.abort()
  })
  gateway.open({ kind: 'terminal', ...request, dialogue, owner }, gone.signal).then(
    (session) => {
      live = session
      // The window may have changed while the machine was being reached.
      if (latestSize) session.resize(latestSize)
      input.toSession(session)
    },
    async (error) => {
      if (!(error instanceof SessionRefusal)) kernel.app.log.error({ err: error }, 'session could not be opened')
      const refusal = error instanceof SessionRefusal ? error : new SessionRefusal('The connection failed')
      say(translate(person.language, refusal.message, { ...refusal.values }))
      // An answer of the machine is no matter of rights.
      const isOfRights = error instanceof SessionRefusal && refusal.exitCode === undefined && !gone.signal.aborted
      const address = isOfRights ? await shortAddress(kernel, request).catch(() => undefined) : undefined
      if (address) say(translate(person.language, 'Why, and what helps: {{address}}', { address }))
      finish({ exitCode: refusal.exitCode ?? COULD_NOT_CONNECT })
    },
  )
  return {
    over,
    resize(size) {
      latestSize = size
      live?.resize(size)
    },
    signal: (name) => live?.signal(name),
    end(words) {
      if (live) inBackground(live.end('signed_out', words))
      else gone.abort()
    },
  }
}

function dialogueOn(channel: ssh2.ServerChannel, { command, terminal }: Program): Dialogue {
  if (!terminal) {
    return {
      tell: (text) => void channel.stderr.write(`${text}\n`),
      ask: () =>
        Promise.reject(new SessionRefusal('This login asks for something that can only be answered in a terminal')),
    }
  }
  return command === undefined
    ? new TerminalDialogue((text) => void channel.write(text))
    : new QuietDialogue((text) => void channel.write(text))
}

/** Programs read the output of a command: only questions may be before it. */
class QuietDialogue extends TerminalDialogue {
  override progress(): Progress {
    return { pause: () => {}, goOn: () => {}, end: () => {} }
  }
}

/** Everything that was written first, then the exit code, then the end. */
export function closeChannel(channel: ssh2.ServerChannel, end: StreamEnd, closed: () => void): void {
  channel.once('close', closed)
  if (channel.destroyed || !channel.writable) {
    closed()
    return
  }
  channel.stderr.end(() => {
    sendExit(channel, end)
    channel.end()
    // Further input of the client is of no use to anybody, but its end must be seen.
    channel.resume()
  })
}

function sendExit(channel: ssh2.ServerChannel, { exitCode, signal, coreDumped, message }: StreamEnd): void {
  try {
    if (signal) channel.exit(signal, coreDumped, message)
    else channel.exit(exitCode ?? COULD_NOT_CONNECT)
  } catch {
    // A signal that the protocol has no name for.
    channel.exit(COULD_NOT_CONNECT)
  }
}
