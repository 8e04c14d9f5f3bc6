import type { Device } from '@sallyport/contract/resources/assets/platform.ts'
import type { Program, TargetStream } from '../../kinds/terminal/streams.ts'
import type { StreamEnd } from '../../session/live-session.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ConnectionTarget } from '../../targets/connection-target.ts'
import { DeviceGone, DevicePrompt, type Stop } from './device-prompt.ts'
import { dialectOf } from './dialect.ts'
import { deviceLines, runLines } from './run-lines.ts'

/** For the prompt, and for what comes after the password: a wrong one is answered late on purpose. */
const READY_MS = 30_000
/** Limit of a device's greeting that is shown, in characters. */
const MAX_GREETING = 64 * 1024
/** Rows behind a password among which the device says that it worked. */
const LAST_ROWS = 20
/** Wide, so that no line is scrolled. */
const UNSEEN: Program['terminal'] = { type: 'vt100', size: { cols: 511, rows: 24 } }

/** Opens a shell on a machine, with the first steps there, where a program is not simply run. */
export interface Way {
  program: Program
  /** Throws SessionRefusal. */
  begin(machine: TargetStream, signal: AbortSignal): Promise<TargetStream>
}

/**
 * How a program is run on network equipment: commands of batches line by line at its prompt, without
 * pages; and as a system user that is switched to, at the level that its password opens (`enable`).
 * Undefined where the machine is asked as any other. Throws SessionRefusal.
 */
export function atDevice(device: Device, target: ConnectionTarget, program: Program): Way | undefined {
  const { command, terminal, hasNoInput, isFed } = program
  if (isFed) throw new SessionRefusal('Files and secrets are handed to Unix machines alone')
  if (command && hasNoInput) {
    const lines = deviceLines(command)
    return {
      program: { hasNoInput, terminal: UNSEEN },
      begin: async (machine, signal) => {
        const prompt = new DevicePrompt(machine, dialectOf(device))
        const first = await inTime(machine, signal, async () => {
          const at = await risen(prompt, target, device, await prompt.ready(() => {}))
          if (at.at === 'password' && target.switchFrom)
            throw new SessionRefusal('The device asks for the password of {{username}}, and none is stored', {
              username: target.credentials.username,
            })
          if (at.at !== 'prompt') throw new SessionRefusal(NO_PROMPT)
          const quiet = await prompt.ask(dialectOf(device).noPaging, () => {})
          return quiet.at === 'prompt' ? quiet.prompt : at.prompt
        })
        return runLines(machine, prompt, { lines, first })
      },
    }
  }
  if (!target.switchFrom) return undefined
  if (!terminal || command !== undefined)
    throw new SessionRefusal('This system user is reached by switching from another: it has terminals alone')
  return { program, begin: (machine, signal) => terminalOf(machine, target, device, signal) }
}

const NO_PROMPT = 'The device showed no prompt: see what its platform says it is'

/** A terminal whose person finds themselves at the higher level; without a stored password they answer for it. */
async function terminalOf(
  machine: TargetStream,
  target: ConnectionTarget,
  device: Device,
  signal: AbortSignal,
): Promise<TargetStream> {
  const prompt = new DevicePrompt(machine, dialectOf(device))
  const rows: string[] = []
  let length = 0
  const greet = (row: string) => {
    length += row.length
    if (length <= MAX_GREETING) rows.push(row)
  }
  const stop = await inTime(machine, signal, async () => risen(prompt, target, device, await prompt.ready(greet)))
  const shown = stop.at === 'prompt' ? stop.prompt : 'Password: '
  const held: Buffer[] = [Buffer.from([...rows, shown].join('\r\n'), 'latin1')]
  let take = (bytes: Buffer): void => void held.push(bytes)
  let end: StreamEnd | undefined
  let over = (how: StreamEnd): void => {
    end = how
  }
  prompt.handOn(
    (bytes) => take(bytes),
    (how) => over(how),
  )
  return {
    ...machine,
    start(output, ended) {
      take = (bytes) => output(bytes, 'stdout')
      over = ended
      for (const bytes of held.splice(0)) take(bytes)
      if (end) ended(end)
    },
  }
}

/**
 * Place where the device stops once the system user is switched to, or at the question for a
 * password that nobody stored.
 */
async function risen(prompt: DevicePrompt, target: ConnectionTarget, device: Device, at: Stop): Promise<Stop> {
  const { switchFrom, credentials } = target
  if (!switchFrom) return at
  if (at.at !== 'prompt') throw new SessionRefusal(NO_PROMPT)
  const { username, password } = credentials
  const refusal = () =>
    new SessionRefusal('The machine did not let {{from}} switch to {{username}}', {
      from: switchFrom.username,
      username,
    })
  const { rise, hasRisen } = dialectOf(device)
  const lastRows: string[] = []
  const hear = (row: string) => {
    lastRows.push(row)
    if (lastRows.length > LAST_ROWS) lastRows.shift()
  }
  try {
    // A system user that is called as a number is that level.
    let stop = await prompt.ask(/^\d{1,2}$/.test(username) ? `${rise} ${username}` : rise, hear)
    if (stop.at === 'password') {
      if (!password) return stop
      stop = await prompt.answer(password, hear)
    }
    if (stop.at === 'prompt' && hasRisen(lastRows, stop.prompt)) return stop
  } catch (error) {
    if (!(error instanceof DeviceGone)) throw error
  }
  throw refusal()
}

/** Work before anything of the person's begins; where it fails the machine is left. */
async function inTime<T>(machine: TargetStream, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new SessionRefusal(NO_PROMPT)), READY_MS)
  const either = AbortSignal.any([signal, late.signal])
  const stopped = Promise.withResolvers<never>()
  const stop = () => stopped.reject(either.reason)
  either.addEventListener('abort', stop)
  if (either.aborted) stop()
  try {
    return await Promise.race([work(), stopped.promise])
  } catch (error) {
    machine.close()
    throw error instanceof DeviceGone ? new SessionRefusal(NO_PROMPT) : error
  } finally {
    clearTimeout(timer)
    either.removeEventListener('abort', stop)
  }
}
