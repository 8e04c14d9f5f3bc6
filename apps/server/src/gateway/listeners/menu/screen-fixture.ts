/** A person's terminal for tests of the menu: a real emulator that shows what was written. */
import unicode11 from '@xterm/addon-unicode11'
import headless from '@xterm/headless'
import type { MenuTerminal } from './terminal-line.ts'

const TIMEOUT_MS = 30_000

export interface TestScreen extends MenuTerminal {
  /** Everything that was written. */
  raw(): string
  /** Lines as the person sees them, without trailing blanks, from the first that was ever shown. */
  lines(): Promise<string[]>
  /** The cursor's line, and its column. */
  line(): Promise<{ text: string; column: number }>
  resize(cols: number, rows: number): void
  /**
   * Waits until what was written since the last wait contains the text, and answers it up to there
   * without colors.
   */
  see(text: string | RegExp): Promise<string>
}

export function openScreen(cols = 80, rows = 24): TestScreen {
  const terminal = new headless.Terminal({ cols, rows, allowProposedApi: true, scrollback: 5000 })
  terminal.loadAddon(new unicode11.Unicode11Addon())
  terminal.unicode.activeVersion = '11'
  let raw = ''
  let seen = 0
  const waiting = new Set<() => void>()
  const drawn = () => new Promise<void>((resolve) => terminal.write('', resolve))
  const lineAt = (row: number) => terminal.buffer.active.getLine(row)?.translateToString(true) ?? ''
  return {
    write(text) {
      raw += text
      terminal.write(text)
      for (const look of [...waiting]) look()
    },
    size: () => ({ cols: terminal.cols, rows: terminal.rows }),
    raw: () => raw,
    resize: (cols, rows) => terminal.resize(cols, rows),
    async lines() {
      await drawn()
      const { length } = terminal.buffer.active
      return Array.from({ length }, (_, row) => lineAt(row))
    },
    async line() {
      await drawn()
      const { baseY, cursorY, cursorX } = terminal.buffer.active
      return { text: lineAt(baseY + cursorY), column: cursorX }
    },
    see: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const text = raw.slice(seen)
          const found = typeof wanted === 'string' ? text.indexOf(wanted) : text.search(wanted)
          if (found < 0) return
          const length = typeof wanted === 'string' ? wanted.length : (wanted.exec(text)?.[0].length ?? 0)
          seen += found + length
          finish()
          resolve(withoutColors(text.slice(0, found + length)))
        }
        const timer = setTimeout(() => {
          finish()
          reject(new Error(`never saw ${String(wanted)} in: ${JSON.stringify(raw.slice(seen))}`))
        }, TIMEOUT_MS)
        const finish = () => {
          clearTimeout(timer)
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colors
const withoutColors = (text: string) => text.replace(/\x1b\[[\d;]*m/g, '')
