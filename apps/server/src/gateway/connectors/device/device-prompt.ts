import { isPasswordPrompt } from '../../../kernel/ssh/script.ts'
import type { TargetStream } from '../../kinds/terminal/streams.ts'
import type { StreamEnd } from '../../session/live-session.ts'
import { type Dialect, PAGER, QUESTION } from './dialect.ts'

/** Place where a device has stopped, and waits. */
export type Stop = { at: 'prompt'; prompt: string } | { at: 'password' } | { at: 'question'; asked: string }

/** The connection ended before the device had answered. */
export class DeviceGone extends Error {
  override name = 'DeviceGone'
  readonly end: StreamEnd

  constructor(end: StreamEnd) {
    super('The connection to the device ended')
    this.end = end
  }
}

/** Limit of a row, in characters; a longer one comes in pieces. */
const MAX_ROW = 64 * 1024
/** No prompt is longer. */
const MAX_PROMPT = 1024
/**
 * A row that ends in anything but the known prompt counts once the device has written nothing more
 * for so long: a piece of output may end at any word.
 */
const QUIET_MS = 200
/** A line is known again by its beginning: devices scroll long ones sideways. */
const KNOWN_BY = 24
/** How a pager takes its own words away again, in front of the next row. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it writes
const WIPED = /^(?:[\x08\r ]|\x1b\[\d*[DK])*(?:[\x08\r]|\x1b\[\d*[DK])/
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are made of them
const SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]/g

/**
 * A device at whose prompt lines are typed, one after the other, each once the one before has been
 * answered. Bytes are kept as they come, as characters of latin1.
 */
export class DevicePrompt {
  readonly #machine: TargetStream
  readonly #dialect: Dialect
  /** Names that its prompt has had: that of a line of output is another. */
  readonly #names = new Set<string>()
  #row = ''
  #hear: ((row: string | undefined) => void) | undefined
  #fail: ((error: unknown) => void) | undefined
  #end: StreamEnd | undefined
  #quiet: NodeJS.Timeout | undefined
  /** Bytes that came while it was quiet for too long are read before it is said to be quiet. */
  #read: NodeJS.Immediate | undefined

  constructor(machine: TargetStream, dialect: Dialect) {
    this.#machine = machine
    this.#dialect = dialect
    machine.start(
      (bytes) => this.#take(bytes.toString('latin1')),
      (end) => {
        this.#end = end
        this.#wakes()
        this.#fail?.(new DeviceGone(end))
      },
    )
  }

  /** The place where it stops after the login; `row` gets the greeting. Throws DeviceGone. */
  ready(row: (text: string) => void): Promise<Stop> {
    return this.#until(row)
  }

  /** Types a line; `row` gets each row of the answer. Throws DeviceGone. */
  ask(line: string, row: (text: string) => void): Promise<Stop> {
    const known = line.slice(0, KNOWN_BY)
    let isEchoed = false
    const stop = this.#until(
      (text) => {
        if (isEchoed) return row(text)
        // Earlier output, such as a message of the device, is no part of the answer.
        isEchoed = text.includes(known)
      },
      () => isEchoed,
    )
    this.#machine.write(Buffer.from(`${line}\n`, 'latin1'))
    return stop
  }

  /** Types what the device does not repeat. Throws DeviceGone. */
  answer(secret: string, row: (text: string) => void): Promise<Stop> {
    const stop = this.#until(row)
    this.#machine.write(Buffer.from(`${secret}\n`))
    return stop
  }

  /** From now on whatever comes is taken as it is, or the end. */
  handOn(output: (bytes: Buffer) => void, ended: (end: StreamEnd) => void): void {
    this.#take = (text) => output(Buffer.from(text, 'latin1'))
    this.#fail = (error) => error instanceof DeviceGone && ended(error.end)
    if (this.#end) ended(this.#end)
  }

  #until(row: (text: string) => void, mayStop = () => true): Promise<Stop> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(new DeviceGone(this.#end))
      this.#fail = reject
      this.#hear = (text) => {
        if (text !== undefined) return row(text)
        const { stop, isSure } = (mayStop() && this.#stopAt(this.#row.replace(SEQUENCES, ''))) || {}
        if (!stop) return
        const settle = () => {
          // One whose name was changed in its configuration is known by that from then on.
          if (stop.at === 'prompt') this.#names.add(this.#nameIn(stop.prompt))
          this.#row = ''
          this.#hear = undefined
          resolve(stop)
        }
        if (isSure) return settle()
        this.#quiet = setTimeout(() => {
          this.#read = setImmediate(settle)
        }, QUIET_MS)
      }
    })
  }

  #wakes(): void {
    clearTimeout(this.#quiet)
    clearImmediate(this.#read)
  }

  #take = (text: string): void => {
    this.#wakes()
    const rows = `${this.#row}${text}`.split('\n')
    this.#row = rows.pop() ?? ''
    for (const row of rows) this.#hear?.(row.replace(WIPED, '').replace(/\r+$/, ''))
    if (this.#row.length > MAX_ROW) {
      this.#hear?.(this.#row)
      this.#row = ''
    }
    if (!this.#row || this.#row.length > MAX_PROMPT) return
    if (PAGER.test(this.#row.replace(WIPED, '').replace(SEQUENCES, ''))) {
      this.#row = ''
      this.#machine.write(Buffer.from(' '))
    } else this.#hear?.(undefined)
  }

  /**
   * The place where it seems to have stopped; `isSure` where nothing but its prompt looks like
   * that.
   */
  #stopAt(output: string): { stop: Stop; isSure?: boolean } | undefined {
    const row = output.replace(WIPED, '')
    const found = this.#dialect.prompt.exec(row)
    if (found) {
      const isSure = this.#names.has(this.#nameIn(row))
      if (isSure || found.groups?.within !== undefined || !this.#names.size)
        return { stop: { at: 'prompt', prompt: row }, isSure }
    }
    if (isPasswordPrompt(row)) return { stop: { at: 'password' } }
    return QUESTION.test(row) ? { stop: { at: 'question', asked: row.trim() } } : undefined
  }

  /** Name of the device in a prompt, or of the part of its configuration that is open. */
  #nameIn(prompt: string): string {
    const { name, within } = this.#dialect.prompt.exec(prompt)?.groups ?? {}
    return name ?? within ?? ''
  }
}
