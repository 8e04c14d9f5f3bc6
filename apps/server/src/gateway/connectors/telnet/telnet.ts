import type { Duplex } from 'node:stream'
import { throughGatewaysPlain } from '../../../domains/assets/index.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type PlainConnection, SshError } from '../../../kernel/ssh/connect.ts'
import { encodeGbk, speakingGbk } from '../../kinds/terminal/charset.ts'
import { type ClearKeys, clearKeysOf } from '../../kinds/terminal/clear-keys.ts'
import type { TargetStream } from '../../kinds/terminal/streams.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ConnectOptions, Connector } from '../connector.ts'
import { TelnetCodec } from './telnet-codec.ts'
import { TelnetLogin } from './telnet-login.ts'

/** contract/gateway.yaml SSH_TIMEOUT: to reach the machine, and again for the whole login. */
const TIMEOUT_MS = 15_000
/** A machine that has been silent for so long waits for an answer. */
const SILENT_MS = 80
/** Output that is kept while the login goes on. */
const KEPT_BYTES = 64 * 1024

export const telnetConnector = telnetWithin(TIMEOUT_MS)

/** `timeoutMs`: to reach the machine, and again for the whole login. */
export function telnetWithin(timeoutMs: number): Connector<'terminal'> {
  return { protocol: 'telnet', kind: 'terminal', open: (kernel, options) => open(kernel, options, timeoutMs) }
}

/**
 * A login by Telnet, through the asset's domain gateways when it has some, in the charset of its
 * platform. Nothing protects what goes over the line: that is the protocol, and where the machine
 * can do better it should. Throws SshError, SessionRefusal where there is no terminal to show it
 * in.
 */
async function open(
  kernel: Kernel,
  { target, host, port, end, signal }: ConnectOptions<'terminal'>,
  timeoutMs: number,
): Promise<TargetStream> {
  const { terminal, command } = end.program
  if (!terminal || command !== undefined)
    throw new SessionRefusal('Telnet needs a terminal, and runs no single command')
  const { credentials, gateways, charset, platform } = target
  const connection = await throughGatewaysPlain(kernel, gateways, { host, port }, { timeoutMs, signal })
  const { stream } = connection
  const codec = new TelnetCodec({
    terminalType: terminal.type,
    size: terminal.size,
    send: (bytes) => void stream.write(bytes),
  })
  const login = new TelnetLogin({ ...credentials, success: settingsOf(kernel).get('TERMINAL_TELNET_REGEX') })
  const isGbk = charset === 'gbk'
  try {
    const greeting = await signIn({ stream, codec, login, isGbk, timeoutMs, signal, hop: gateways.length ? 1 : 0 })
    const shown = without(credentials.password, greeting)
    const machine = streamOf(connection, codec, shown, clearKeysOf('telnet', platform))
    return isGbk ? speakingGbk(machine) : machine
  } catch (error) {
    connection.close()
    throw error
  }
}

interface SigningIn {
  stream: Duplex
  codec: TelnetCodec
  login: TelnetLogin
  isGbk: boolean
  timeoutMs: number
  signal: AbortSignal
  hop: number
}

/**
 * Answers what the machine said when it had let the person in, which is theirs to see. Throws
 * SshError, or the signal's reason.
 */
function signIn({ stream, codec, login, isGbk, timeoutMs, signal, hop }: SigningIn): Promise<Buffer> {
  const decoder = new TextDecoder(isGbk ? 'gbk' : 'utf-8', { ignoreBOM: true })
  let greeting = Buffer.alloc(0)
  let silence: NodeJS.Timeout | undefined
  return new Promise((resolve, reject) => {
    const finish = (then: () => void) => {
      clearTimeout(silence)
      clearTimeout(limit)
      signal.removeEventListener('abort', onAbort)
      stream.off('data', onData).off('close', onClose).pause()
      then()
    }
    const limit = setTimeout(() => finish(() => reject(new SshError('timeout', hop, 'No login in time'))), timeoutMs)
    const onAbort = () => finish(() => reject(signal.reason))
    const onClose = () =>
      finish(() =>
        reject(
          login.isProven
            ? new SshError('authentication', hop, 'Closed after the password')
            : new SshError('unreachable', hop, 'The connection was closed'),
        ),
      )
    const onSilence = () => {
      const step = login.next()
      if (step === 'in') finish(() => resolve(greeting))
      else if (step === 'refused') finish(() => reject(new SshError('authentication', hop, 'Refused')))
      else if (step) {
        greeting = Buffer.alloc(0)
        stream.write(codec.encode(isGbk ? encodeGbk(step.type) : Buffer.from(step.type)))
      }
    }
    const onData = (bytes: Buffer) => {
      const data = codec.receive(bytes)
      if (!data.length) return
      greeting = Buffer.concat([greeting, data]).subarray(-KEPT_BYTES)
      login.hear(decoder.decode(data, { stream: true }))
      clearTimeout(silence)
      silence = setTimeout(onSilence, SILENT_MS)
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    stream.on('data', onData).once('close', onClose)
  })
}

/** A machine that shows what is typed shows passwords too: it must be seen and recorded nowhere. */
function without(password: string, greeting: Buffer): Buffer {
  const at = password ? greeting.indexOf(password) : -1
  return at < 0
    ? greeting
    : Buffer.concat([greeting.subarray(0, at), greeting.subarray(at + Buffer.byteLength(password))])
}

function streamOf(
  { stream, close }: PlainConnection,
  codec: TelnetCodec,
  greeting: Buffer,
  clearKeys: ClearKeys,
): TargetStream {
  return {
    start(onOutput, onEnd) {
      if (greeting.length) onOutput(greeting, 'stdout')
      stream.on('data', (bytes: Buffer) => {
        const data = codec.receive(bytes)
        if (data.length) onOutput(data, 'stdout')
      })
      // Of a machine that has only ended its own side nothing more is to be had.
      stream.once('end', () => stream.end())
      if (stream.destroyed) onEnd({})
      else stream.once('close', () => onEnd({}))
      stream.resume()
    },
    write: (bytes) => void stream.write(codec.encode(bytes)),
    pending: () => stream.writableLength,
    onceTaken: (then) => void stream.write(Buffer.alloc(0), () => then()),
    // A terminal's input has no end: what was typed is still to be run.
    endInput: () => {},
    signal: (name) => (name === 'INT' ? codec.interrupt() : undefined),
    resize: (size) => codec.resize(size),
    clearKeys,
    setRaw: (isRaw) => codec.setRaw(isRaw),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    close,
  }
}
