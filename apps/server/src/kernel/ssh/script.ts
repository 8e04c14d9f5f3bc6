/**
 * Runs shell scripts on a machine over a connection that stays open.
 * Neither script nor input is ever in a command line, where other people of that machine could read
 * it: both go through the channel's input, after a mark that shows that the shell is there. The
 * password of `sudo` or `su` is sent when it is asked for, and only then.
 */
import { randomBytes } from 'node:crypto'
import type ssh2 from 'ssh2'
import { KeptOutput } from './kept-output.ts'
import { type CommandResult, onChannel, ScriptError } from './on-channel.ts'

/** By which command a script gets to run as somebody else. */
export interface Become {
  /** `sudo` of machines that have none is `doas` (OpenBSD's, FreeBSD's). */
  method: 'sudo' | 'su' | 'doas'
  user: string
  /** Empty where none is needed: `sudo` of machines that ask for none. */
  password: string
}

export interface ScriptOptions {
  /** Standard input of the script; nothing by default. */
  stdin?: string | Buffer
  /** For all of it, becoming somebody else included. */
  timeoutMs: number
  become?: Become | undefined
  signal?: AbortSignal | undefined
}

export type ScriptResult = CommandResult

/** Kept of each of its two outputs. */
const KEPT_BYTES = 256 * 1024

const SU_PROMPT = /(password|passwort|mot de passe|contraseña|密码|口令|密碼|パスワード)[^\n]{0,40}[:：]\s*$/i
/** Whether a terminal asks for a password, as far as it has written by now. */
export const isPasswordPrompt = (output: string): boolean => SU_PROMPT.test(output)

/** What `sudo` says where its rules want a terminal. */
const WANTS_TERMINAL = /must have a tty|no tty present/

/**
 * Runs a script of the Bourne shell, whatever the login shell is. Throws ScriptError where it could
 * not run to its end; a script that failed by itself is a result.
 */
export async function runScript(client: ssh2.Client, script: string, options: ScriptOptions): Promise<ScriptResult> {
  const { become } = options
  if (become?.method !== 'sudo') return attempt(client, script, options, Boolean(become))
  const end = performance.now() + options.timeoutMs
  /** In the time that is left. */
  const again = (method: Become['method']) => {
    const timeoutMs = Math.max(1, end - performance.now())
    return attempt(client, script, { ...options, become: { ...become, method }, timeoutMs }, true)
  }
  try {
    return await attempt(client, script, options, false)
  } catch (error) {
    if (error instanceof NoSuchCommand) return again('doas')
    if (error instanceof WantsTerminal) return again('sudo')
    throw error
  }
}

class WantsTerminal extends ScriptError {}
class NoSuchCommand extends ScriptError {}

function attempt(
  client: ssh2.Client,
  script: string,
  { stdin = '', timeoutMs, become, signal }: ScriptOptions,
  terminal: boolean,
): Promise<ScriptResult> {
  const key = randomBytes(8).toString('hex')
  const parts = { script: Buffer.from(script), input: Buffer.from(stdin), mark: `@@${key}@@` }
  const prompt = `[sallyport ${key}] `
  const command = commandOf(bootstrap(parts, terminal), become, prompt)
  return onChannel(client, { command, terminal, timeoutMs, signal }, (channel, fail) => {
    const talk = new Talk(channel, { ...parts, prompt, become, terminal })
    channel.on('data', (bytes: Buffer) => talk.hear('stdout', bytes, fail))
    channel.stderr.on('data', (bytes: Buffer) => talk.hear('stderr', bytes, fail))
    return () => {
      if (!talk.isThrough) throw talk.refusal()
      return talk.outputs()
    }
  })
}

/**
 * Reads script and input from its own input, to the byte (`dd` never reads ahead, even from a
 * terminal), and runs one with the other. No single quotes, since it stands within a pair of them.
 */
function bootstrap({ script, input, mark }: Parts, terminal: boolean): string {
  const quiet = terminal ? 'stty raw -echo 2>/dev/null; ' : ''
  const fed = input.length ? `dd bs=1 count=${input.length} 2>/dev/null | eval "$S"` : 'eval "$S" </dev/null'
  // Written otherwise than printed: machines that refuse a command repeat it.
  const shown = mark.replace('@@', '@@""')
  const both = terminal ? '' : `; echo ${shown} >&2`
  return `${quiet}echo ${shown}${both}; S=$(dd bs=1 count=${script.length} 2>/dev/null); ${fed}`
}

interface Parts {
  script: Buffer
  input: Buffer
  mark: string
}

function commandOf(body: string, become: Become | undefined, prompt: string): string {
  if (!become) return `exec sh -c '${body}'`
  const user = become.user.replace(/[^\w@.-]/g, '')
  if (become.method === 'sudo') {
    const asks = become.password ? `-S -p "${prompt}"` : '-n'
    return `exec sudo ${asks} -u ${user} sh -c '${body}'`
  }
  if (become.method === 'doas') return `exec doas ${become.password ? '' : '-n '}-u ${user} sh -c '${body}'`
  return `exec env LC_ALL=C su ${user} -c 'exec sh -c '\\''${body}'\\'''`
}

/** The dialog on a channel: first the switch of the user, then the script. */
class Talk {
  /** Where the script has begun: what came before, a greeting or a fault of a profile, is not its output. */
  readonly #isMarked = { stdout: false, stderr: false }
  readonly #channel: ssh2.ClientChannel
  readonly #to: Parts & { prompt: string; become: Become | undefined; terminal: boolean }
  /** What came before the mark. */
  readonly #before = { stdout: '', stderr: '' }
  #isAsked = false
  readonly #kept = { stdout: new KeptOutput(KEPT_BYTES), stderr: new KeptOutput(KEPT_BYTES) }

  constructor(
    channel: ssh2.ClientChannel,
    to: Parts & { prompt: string; become: Become | undefined; terminal: boolean },
  ) {
    this.#channel = channel
    this.#to = to
  }

  hear(stream: 'stdout' | 'stderr', bytes: Buffer, fail: (error: unknown) => void): void {
    if (this.#isMarked[stream]) {
      this.#kept[stream].take(bytes)
      if (this.#kept[stream].isFlood) fail(new ScriptError('It wrote more than 16 MB, and was ended'))
      return
    }
    const before = `${this.#before[stream]}${bytes.toString('latin1')}`.slice(-16_384)
    this.#before[stream] = before
    const { mark } = this.#to
    const at = before.indexOf(mark)
    if (at < 0) {
      this.#answer(stream, fail)
      return
    }
    this.#isMarked[stream] = true
    const rest = before.slice(at + mark.length).replace(/^\r?\n/, '')
    if (rest) this.#kept[stream].take(Buffer.from(rest, 'latin1'))
    if (stream === 'stdout') this.#begin()
  }

  #begin(): void {
    const { script, input, terminal } = this.#to
    this.#channel.write(Buffer.concat([script, input]))
    // A terminal that is not read by lines any more knows no end of input.
    if (!terminal) this.#channel.end()
  }

  #answer(stream: 'stdout' | 'stderr', fail: (error: unknown) => void): void {
    const { become, prompt } = this.#to
    if (!become?.password) return
    const output = Buffer.from(this.#before[stream], 'latin1').toString()
    if (!(become.method === 'sudo' ? output.endsWith(prompt) : isPasswordPrompt(output))) return
    if (this.#isAsked) {
      fail(new ScriptError('The password for switching the user was refused'))
      return
    }
    this.#isAsked = true
    this.#before[stream] = ''
    this.#channel.write(`${become.password}\n`)
  }

  get isThrough(): boolean {
    return this.#isMarked.stdout
  }

  /** Why the script did not begin. */
  refusal(): ScriptError {
    const output = `${this.#before.stdout}\n${this.#before.stderr}`
    if (!this.#to.become) return new ScriptError('The machine runs no shell scripts')
    if (WANTS_TERMINAL.test(output)) return new WantsTerminal('The machine wants a terminal for switching the user')
    if (/not found|No such file/i.test(output))
      return new NoSuchCommand('The machine has no such command for switching the user')
    const isUnknown = /not in the sudoers|not allowed to/i.test(output)
    if (this.#isAsked && !isUnknown) return new ScriptError('The password for switching the user was refused')
    if (/password is required|a password|authentication required/i.test(output))
      return new ScriptError('Switching the user needs a password')
    return new ScriptError('The machine does not let this user switch to the other one')
  }

  outputs(): { stdout: string; stderr: string; isCut: boolean } {
    const { stdout, stderr } = this.#kept
    return { stdout: stdout.text(), stderr: stderr.text(), isCut: stdout.isCut || stderr.isCut }
  }
}
