import { inBackground } from '../../../kernel/background.ts'
import type { TargetStream } from '../../kinds/terminal/streams.ts'
import type { StreamEnd } from '../../session/live-session.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { DeviceGone, type DevicePrompt } from './device-prompt.ts'
import { FAULT } from './dialect.ts'

/** Devices take no longer ones. */
const MAX_LINE = 250
/**
 * Characters that a device reads as keys: they complete the text before them, or explain it and
 * leave it to be run.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be typed
const KEYS = /[\x00-\x1f\x7f?]/

/** Each is a command of its own to a device, whatever quotes and backslashes are at its ends. */
export function linesOf(command: string): string[] {
  return command
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter(Boolean)
}

/** The lines of a command, as they are typed. Throws SessionRefusal. */
export function deviceLines(command: Buffer): string[] {
  const lines = linesOf(command.toString('latin1'))
  if (lines.some((line) => KEYS.test(line)))
    throw new SessionRefusal('A device takes ? and control characters for keys: leave them out')
  if (lines.some((line) => line.length > MAX_LINE))
    throw new SessionRefusal('A line for a device has at most {{max}} characters', { max: MAX_LINE })
  return lines
}

/**
 * Lines that run one after the other at the prompt of a device, as a program without input: each is
 * typed once the one before has been answered, and none after one that the device refused or that
 * asked something. Devices have no exit codes: it is 1 then, else 0.
 */
export function runLines(
  machine: TargetStream,
  prompt: DevicePrompt,
  { lines, first }: { lines: readonly string[]; first: string },
): TargetStream {
  let isOver = false
  const run = async (write: (row: string) => void): Promise<StreamEnd> => {
    let at = first
    for (const [n, line] of lines.entries()) {
      if (isOver) return {}
      // With several commands people see which one is answered.
      if (lines.length > 1) write(`${at}${line}`)
      let isFault = false
      try {
        const stop = await prompt.ask(line, (row) => {
          isFault ||= FAULT.test(row)
          write(row)
        })
        if (isOver) return {}
        if (stop.at !== 'prompt') {
          write(stop.at === 'question' ? stop.asked : 'Password:')
          machine.write(INTERRUPT)
          return { exitCode: 1 }
        }
        at = stop.prompt
      } catch (error) {
        if (!(error instanceof DeviceGone)) throw error
        if (isOver) return {}
        // The last line may be what ends the connection.
        return n === lines.length - 1 && !error.end.isLost ? { exitCode: isFault ? 1 : 0 } : error.end
      }
      if (isFault) return { exitCode: 1 }
    }
    return { exitCode: 0 }
  }
  return {
    ...machine,
    start(output, ended) {
      inBackground(
        run((row) => output(Buffer.from(`${row}\n`, 'latin1'), 'stdout'))
          .catch((): StreamEnd => ({ isLost: true }))
          .then((end) => {
            isOver = true
            machine.close()
            ended(end)
          }),
      )
    },
    // Nothing that is written goes there but its lines.
    write: () => {},
    endInput: () => {},
    signal: () => {
      isOver = true
      machine.write(INTERRUPT)
      machine.close()
    },
  }
}

/** Gives up what is being asked or shown. */
const INTERRUPT = Buffer.from('\x03')
