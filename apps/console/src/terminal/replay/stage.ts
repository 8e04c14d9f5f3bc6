/**
 * The emulator that a recording is played on: read-only, as large as the recorded terminal, its
 * letters as large as the box allows.
 */
import '@xterm/xterm/css/xterm.css'
import { dropCostlySequences } from '@sallyport/contract/replay.ts'
import { Unicode11Addon } from '@xterm/addon-unicode11'
import { Terminal } from '@xterm/xterm'
import { TERMINAL_COLORS } from '../screen/colors.ts'
import type { Stage } from './playback-screen.ts'

const FONT = { min: 2, max: 28, initial: 14, step: 0.5 } as const
/** CAN ends a control sequence that was not finished, RIS forgets everything. */
const BEGIN_ANEW = '\x18\x1bc'

type Size = { cols: number; rows: number }

export function openStage(box: HTMLElement): Stage {
  const terminal = new Terminal({
    allowProposedApi: true,
    disableStdin: true,
    fontSize: FONT.initial,
    fontFamily:
      '"JetBrains Mono", "Cascadia Mono", Consolas, Menlo, "DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono CJK SC", monospace',
    // As on the screen: underscores would be cut off below.
    lineHeight: 1.1,
    scrollback: 0,
    theme: TERMINAL_COLORS,
    cursorInactiveStyle: 'block',
    // A link in a recording leads where the machine wanted.
    linkHandler: { activate: () => {} },
  })
  terminal.loadAddon(new Unicode11Addon())
  // As the key frames were made.
  terminal.unicode.activeVersion = '11'
  dropCostlySequences(terminal.parser)
  terminal.open(box)
  // Keys are the player's, and the picture is no stop of the Tab key.
  terminal.attachCustomKeyEventHandler(() => false)
  if (terminal.textarea) terminal.textarea.tabIndex = -1

  const fit = () => fitLetters(terminal, box)
  const queue = new DrawingQueue(terminal, fit)
  const watcher = new ResizeObserver(fit)
  watcher.observe(box)
  return {
    reset(size, contents) {
      queue.clear()
      // Emptied first: what is there would be wrapped for the new size.
      queue.add(BEGIN_ANEW)
      queue.add(size)
      if (contents) queue.add(contents)
    },
    write: (text) => queue.add(text),
    resize: (size) => queue.add(size),
    backlog: () => queue.characters,
    fit,
    dispose() {
      watcher.disconnect()
      terminal.dispose()
    },
  }
}

/** Text is taken in by and by, but a new size at once: one must not overtake the other. */
class DrawingQueue {
  readonly #terminal: Terminal
  readonly #onResized: () => void
  #items: (string | Size)[] = []
  #isBusy = false
  /** Text that waits, or is being taken in. */
  characters = 0

  constructor(terminal: Terminal, onResized: () => void) {
    this.#terminal = terminal
    this.#onResized = onResized
  }

  add(item: string | Size): void {
    this.#items.push(item)
    if (typeof item === 'string') this.characters += item.length
    this.#work()
  }

  clear(): void {
    for (const item of this.#items) if (typeof item === 'string') this.characters -= item.length
    this.#items = []
  }

  #work(): void {
    if (this.#isBusy) return
    for (let next = this.#items.shift(); next !== undefined; next = this.#items.shift()) {
      if (typeof next === 'string') {
        const { length } = next
        this.#isBusy = true
        this.#terminal.write(next, () => {
          this.characters -= length
          this.#isBusy = false
          this.#work()
        })
        return
      }
      if (next.cols === this.#terminal.cols && next.rows === this.#terminal.rows) continue
      this.#terminal.resize(next.cols, next.rows)
      this.#onResized()
    }
  }
}

/** Makes the letters as large as the box allows. */
function fitLetters(terminal: Terminal, box: HTMLElement): void {
  const screen = terminal.element?.querySelector<HTMLElement>('.xterm-screen')
  if (!screen || screen.offsetWidth === 0 || box.clientWidth === 0) return
  const { fontSize = FONT.initial } = terminal.options
  const share = Math.min(box.clientWidth / screen.offsetWidth, box.clientHeight / screen.offsetHeight)
  let next = Math.floor((fontSize * share) / FONT.step) * FONT.step
  next = Math.min(Math.max(next, FONT.min), FONT.max)
  // Cells are whole pixels: letters grow in steps, and one step may be too much.
  for (terminal.options.fontSize = next; next > FONT.min && isTooLarge(screen, box); terminal.options.fontSize = next)
    next -= FONT.step
}

function isTooLarge(screen: HTMLElement, box: HTMLElement): boolean {
  return screen.offsetWidth > box.clientWidth || screen.offsetHeight > box.clientHeight
}
