import { dropCostlySequences } from '@sallyport/contract/replay.ts'
import serialize from '@xterm/addon-serialize'
import unicode11 from '@xterm/addon-unicode11'
import headless from '@xterm/headless'

/** Enough of a text's end to see a control sequence that has begun there. */
const TAIL_CHARACTERS = 4096
/**
 * ESC alone; CSI without its final; OSC, DCS and their kind without their end; other sequences
 * without their final.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of control characters
const BEGUN_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?$/

/**
 * Parts of the emulator that its serializer leaves out; they have no public name (@xterm/headless
 * 6.0.0).
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
/** How the serializer goes over from the screen to the other one, when that is shown. */
const OTHER_SCREEN = '\x1b[?1049h'

/** A terminal without a window: what a recording shows at a moment. */
export class Emulator {
  readonly #terminal: InstanceType<typeof headless.Terminal>
  readonly #serializer = new serialize.SerializeAddon()
  readonly #scrollback: number
  #tail = ''

  /** `scrollback`: lines kept above the screen, which a snapshot brings along. */
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

  /**
   * Whether the last text ends in the middle of a control sequence: no place to begin playing at.
   */
  get insideSequence(): boolean {
    return this.begunSequence !== ''
  }

  /** The control sequence in whose middle the last text ends. */
  get begunSequence(): string {
    return BEGUN_SEQUENCE.exec(this.#tail)?.[0] ?? ''
  }

  /** Says what is coming, so that `insideSequence` is known before the emulator has done it. */
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
    // Each of the two screens has a region of its own.
    const screens = isOther
      ? screen.replace(OTHER_SCREEN, () => `${this.#region(buffers.normal)}${OTHER_SCREEN}`) + this.#region(buffers.alt)
      : screen + this.#region(buffers.normal)
    return `${screens}${coreService.isCursorHidden ? '\x1b[?25l' : ''}`
  }

  /**
   * Sets the part that scrolls, when it is not all; that sends the cursor home, so it is put back.
   */
  #region({ scrollTop, scrollBottom, x, y }: CoreBuffer): string {
    const { rows, cols, modes } = this.#terminal
    // With origin mode rows would be counted otherwise: rare enough to leave.
    if ((scrollTop === 0 && scrollBottom === rows - 1) || modes.originMode) return ''
    return `\x1b[${scrollTop + 1};${scrollBottom + 1}r\x1b[${y + 1};${Math.min(x, cols - 1) + 1}H`
  }

  dispose(): void {
    this.#terminal.dispose()
  }
}
