import { dropCostlySequences } from '@sallyport/contract/replay.ts'
import serialize from '@xterm/addon-serialize'
import unicode11 from '@xterm/addon-unicode11'
import headless from '@xterm/headless'

/** Enough of a text's end to contain an unfinished control sequence. */
const TAIL_CHARACTERS = 4096
/**
 * An unfinished sequence: ESC alone; CSI without its final byte; OSC, DCS and the like without
 * their end; others without their final byte.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of control characters
const BEGUN_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?$/

/**
 * Internals of the emulator that its serializer leaves out; they have no public name
 * (@xterm/headless 6.0.0).
 */
interface Core {
  buffers: { normal: CoreBuffer; alt: CoreBuffer }
  coreService: { isCursorHidden: boolean }
}
interface CoreBuffer {
  scrollTop: number
  scrollBottom: number
  x: number
  y: number
}
/** How the serializer switches to the alternate screen, when that one is shown. */
const OTHER_SCREEN = '\x1b[?1049h'

/** A terminal emulator without a window, for key frames: what a recording shows at a given time. */
export class Emulator {
  readonly #terminal: InstanceType<typeof headless.Terminal>
  readonly #serializer = new serialize.SerializeAddon()
  readonly #scrollback: number
  #tail = ''

  /** `scrollback`: lines above the screen to keep, which a snapshot includes. */
  constructor({ cols, rows, scrollback = 0 }: { cols: number; rows: number; scrollback?: number }) {
    this.#scrollback = scrollback
    this.#terminal = new headless.Terminal({ cols, rows, scrollback, allowProposedApi: true, logLevel: 'off' })
    // biome-ignore lint/suspicious/noExplicitAny: the add-ons are typed for the terminal with a window; both work with this one
    const load = (addon: any) => this.#terminal.loadAddon(addon)
    load(this.#serializer)
    load(new unicode11.Unicode11Addon())
    // As the player counts widths.
    this.#terminal.unicode.activeVersion = '11'
    dropCostlySequences(this.#terminal.parser)
  }

  get size(): { cols: number; rows: number } {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows }
  }

  /** Whether the last text ends inside a control sequence, where playing can't start. */
  get insideSequence(): boolean {
    return this.begunSequence !== ''
  }

  /** The control sequence that the last text ends in. */
  get begunSequence(): string {
    return BEGUN_SEQUENCE.exec(this.#tail)?.[0] ?? ''
  }

  /**
   * Announces the text to come, so that `insideSequence` is known before the emulator has processed
   * it.
   */
  expect(text: string): void {
    this.#tail = (this.#tail + text).slice(-TAIL_CHARACTERS)
  }

  write(text: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(text, resolve))
  }

  resize({ cols, rows }: { cols: number; rows: number }): void {
    this.#terminal.resize(cols, rows)
  }

  /** What makes an empty terminal of the same size look and behave like this one. */
  snapshot(): string {
    const { buffers, coreService } = (this.#terminal as unknown as { _core: Core })._core
    const screen = this.#serializer.serialize({ scrollback: this.#scrollback })
    const isOther = this.#terminal.buffer.active.type === 'alternate'
    // Each of the two screens has a scrolling region of its own.
    const screens = isOther
      ? screen.replace(OTHER_SCREEN, () => `${this.#region(buffers.normal)}${OTHER_SCREEN}`) + this.#region(buffers.alt)
      : screen + this.#region(buffers.normal)
    return `${screens}${coreService.isCursorHidden ? '\x1b[?25l' : ''}`
  }

  /**
   * Sets the scrolling region if it is not the whole screen, and puts back the cursor, which that
   * moves home.
   */
  #region({ scrollTop, scrollBottom, x, y }: CoreBuffer): string {
    const { rows, cols, modes } = this.#terminal
    // With origin mode on, rows would count differently: rare enough to ignore.
    if ((scrollTop === 0 && scrollBottom === rows - 1) || modes.originMode) return ''
    return `\x1b[${scrollTop + 1};${scrollBottom + 1}r\x1b[${y + 1};${Math.min(x, cols - 1) + 1}H`
  }

  dispose(): void {
    this.#terminal.dispose()
  }
}
