import { stat } from 'node:fs/promises'
import type ssh2 from 'ssh2'
import type { SshConnection } from '../../kernel/ssh/connect.ts'
import { streamOf } from '../connectors/ssh.ts'
import { Asciicast } from '../kinds/terminal/asciicast.ts'
import { TerminalSession } from '../kinds/terminal/terminal-session.ts'
import { type LoopbackMachine, PROMPT } from './loopback-machine.ts'
import type { Scratch } from './scratch.ts'

const SIZE = { cols: 120, rows: 40 }
const SHELL_MS = 10_000

/** Keys that somebody types, and what they see of it. */
export interface Typed {
  type(text: string): void
  /** Settles once so many bytes have come since it was called; the bytes of a key are its echo. */
  shown(bytes: number): Promise<void>
  /** Settles once the prompt is there. */
  prompted(): Promise<void>
}

/** What comes of a terminal, counted. */
class Screen {
  #bytes = 0
  #last = ''
  #waiting: { isOver: () => boolean; resolve: () => void }[] = []

  take(bytes: Buffer): void {
    this.#bytes += bytes.length
    this.#last = (this.#last + bytes.subarray(-PROMPT.length).toString('latin1')).slice(-PROMPT.length)
    if (!this.#waiting.length) return
    const over = this.#waiting.filter(({ isOver }) => isOver())
    this.#waiting = this.#waiting.filter((one) => !over.includes(one))
    for (const { resolve } of over) resolve()
  }

  shown(bytes: number): Promise<void> {
    const until = this.#bytes + bytes
    return this.#once(() => this.#bytes >= until)
  }

  prompted(): Promise<void> {
    return this.#once(() => this.#last === PROMPT)
  }

  #once(isOver: () => boolean): Promise<void> {
    if (isOver()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the terminal did not answer')), SHELL_MS)
      this.#waiting.push({
        isOver,
        resolve() {
          clearTimeout(timer)
          resolve()
        },
      })
    })
  }
}

/** A whole terminal session: recorded, its commands read, judged and written ahead. */
export interface MeasuredTerminal extends Typed {
  /** Path of the recording, and its size so far. */
  recording: string
  recorded(): Promise<number>
  end(): Promise<void>
}

export async function openTerminal(
  scratch: Scratch,
  machine: LoopbackMachine,
  connection: SshConnection,
  name: string,
): Promise<MeasuredTerminal> {
  const channel = await machine.shell(connection, SIZE)
  const recording = await Asciicast.open(scratch.path(`${name}.cast`), {
    size: SIZE,
    title: 'capacity',
    startedAt: new Date(),
  })
  const screen = new Screen()
  const parts = scratch.sessionParts()
  const live = new TerminalSession({
    ...parts,
    owner: {
      write(bytes) {
        screen.take(bytes)
        return true
      },
      close: () => {},
    },
    target: streamOf(channel, connection),
    recording,
    program: { terminal: { type: 'xterm-256color', size: SIZE } },
    onEnd: () => recording.close(),
  })
  return {
    recording: recording.path,
    recorded: async () => (await stat(recording.path)).size,
    type: (text) => live.input(Buffer.from(text)),
    shown: (bytes) => screen.shown(bytes),
    prompted: () => screen.prompted(),
    end: () => live.end('left'),
  }
}

/** The same machine without a session, to compare with. */
export async function openBareTerminal(
  machine: LoopbackMachine,
  connection: SshConnection,
): Promise<Typed & { end(): void }> {
  const channel: ssh2.ClientChannel = await machine.shell(connection, SIZE)
  const screen = new Screen()
  channel.on('data', (bytes: Buffer) => screen.take(bytes))
  channel.on('error', () => {})
  return {
    type: (text) => void channel.write(text),
    shown: (bytes) => screen.shown(bytes),
    prompted: () => screen.prompted(),
    end: () => void channel.close(),
  }
}
