import type { Duplex } from 'node:stream'
import { throughGatewaysPlain } from '../../../domains/assets/networks/index.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type PlainConnection, SshError } from '../../../kernel/ssh/connect.ts'
import { encodeGbk, speakingGbk } from '../../kinds/terminal/charset.ts'
import { type ClearKeys, clearKeysOf } from '../../kinds/terminal/clear-keys.ts'
import type { TargetStream } from '../../kinds/terminal/streams.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ConnectOptions, Connector } from '../connector.ts'
import { TelnetCodec } from './telnet-codec.ts'
import { TelnetLogin } from './telnet-login.ts'

/** To reach the machine, and again for the whole login (docs/rules/gateway.md#telnet). */
const TIMEOUT_MS = 15_000
/** A machine that has been silent for so long waits for an answer. */
const SILENT_MS = 80
/** One that has asked what is not known, and has been silent for so long, waits for the person. */
const UNSURE_MS = 2000
/** Output that is kept while the login goes on. */
const KEPT_BYTES = 64 * 1024
/** Exit code of a program that Telnet cannot run: no right would change that. As of `ssh` itself. */
const CANNOT_RUN = 255

export const telnetConnector = telnetWithin({ timeoutMs: TIMEOUT_MS, unsureMs: UNSURE_MS })

/** Milliseconds. */
export interface TelnetTimes {
  /** To reach the machine, and again for the whole login. */
  timeoutMs: number
  unsureMs: number
}

/** Another one for tests. */
export function telnetWithin(times: TelnetTimes): Connector<'terminal'> {
  return { protocol: 'telnet', kind: 'terminal', open: (kernel, options) => open(kernel, options, times) }
}

/**
 * A login by Telnet, through the asset's domain gateways when it has some, in the charset of its
 * platform. A machine that asks something else than a login does is handed to the person, with all that it has said.
 * Nothing protects what goes over the line: that is the protocol, and where the machine
 * can do better it should. Throws SshError, SessionRefusal where there is no terminal to show it
 * in.
 */
async function open(
  kernel: Kernel,
  { target, host, port, end, language = 'en', signal }: ConnectOptions<'terminal'>,
  { timeoutMs, unsureMs }: TelnetTimes,
): Promise<TargetStream> {
  const { terminal, command } = end.program
  if (!terminal || command !== undefined)
    throw new SessionRefusal('Telnet needs a terminal, and runs no single command', {}, CANNOT_RUN)
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
    const hop = gateways.length ? 1 : 0
    const { output, isSure } = await signIn({ stream, codec, login, isGbk, timeoutMs, unsureMs, signal, hop })
    const secrets = [Buffer.from(credentials.password), ...(isGbk ? [encodeGbk(credentials.password)] : [])]
    const shown = secrets.reduce(without, output)
    const warning = isSure ? '' : `\x1b[33m${translate(language, UNSURE)}\x1b[0m\r\n`
    const greeting = Buffer.concat([isGbk ? encodeGbk(warning) : Buffer.from(warning), shown])
    const machine = streamOf(connection, codec, greeting, clearKeysOf('telnet', platform))
    return isGbk ? speakingGbk(machine) : machine
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Heading of the output of such a machine. */
const UNSURE = 'This machine asks for something that only you can answer. It has said:'

interface SigningIn {
  stream: Duplex
  codec: TelnetCodec
  login: TelnetLogin
  isGbk: boolean
  timeoutMs: number
  unsureMs: number
  signal: AbortSignal
  hop: number
}

/**
 * Output of the machine that the person is to see: since it has let them in, or, where that is not
 * sure, all.
 */
interface Greeting {
  output: Buffer
  isSure: boolean
}

/** Throws SshError, or the signal's reason. */
function signIn({ stream, codec, login, isGbk, timeoutMs, unsureMs, signal, hop }: SigningIn): Promise<Greeting> {
  const decoder = new TextDecoder(isGbk ? 'gbk' : 'utf-8', { ignoreBOM: true })
  let greeting = Buffer.alloc(0)
  let all = Buffer.alloc(0)
  let silence: NodeJS.Timeout | undefined
  return new Promise((resolve, reject) => {
    const finish = (then: () => void) => {
      clearTimeout(silence)
      clearTimeout(limit)
      signal.removeEventListener('abort', onAbort)
      stream.off('data', onData).off('close', onClose).pause()
      then()
    }
    const handOver = () => finish(() => resolve({ output: all, isSure: false }))
    const onLate = () =>
      login.hasSpoken ? handOver() : finish(() => reject(new SshError('timeout', hop, 'No login in time')))
    const limit = setTimeout(onLate, timeoutMs)
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
      if (step === 'in') finish(() => resolve({ output: greeting, isSure: true }))
      else if (step === 'refused') finish(() => reject(new SshError('authentication', hop, 'Refused')))
      else if (step) {
        greeting = Buffer.alloc(0)
        stream.write(codec.encode(isGbk ? encodeGbk(step.type) : Buffer.from(step.type)))
      } else if (login.isUnsure) silence = setTimeout(handOver, unsureMs)
    }
    const onData = (bytes: Buffer) => {
      const data = codec.receive(bytes)
      if (!data.length) return
      greeting = Buffer.concat([greeting, data]).subarray(-KEPT_BYTES)
      all = Buffer.concat([all, data]).subarray(-KEPT_BYTES)
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
function without(output: Buffer, secret: Buffer): Buffer {
  const at = secret.length ? output.indexOf(secret) : -1
  if (at < 0) return output
  return Buffer.concat([output.subarray(0, at), without(output.subarray(at + secret.length), secret)])
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
      // A machine that has only ended its own side sends nothing more.
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
