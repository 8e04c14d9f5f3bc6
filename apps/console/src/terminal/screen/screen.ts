/**
 * The terminal emulator in a box of the page, with our rules of copying, pasting and sizing; knows
 * nothing of sessions.
 */
import '@xterm/xterm/css/xterm.css'
import { dropCostlySequences } from '@sallyport/contract/replay.ts'
import { FitAddon } from '@xterm/addon-fit'
import { Unicode11Addon } from '@xterm/addon-unicode11'
import { Terminal } from '@xterm/xterm'
import { copyText, pasteText } from '../../lib/clipboard.ts'
import { t } from '../../lib/i18n.ts'
import { type Finder, finderIn } from './find.ts'
import { inputBytes, keyMeaning, rawBytes } from './keys.ts'
import { followLinks } from './links.ts'
import { outputQueue } from './output-queue.ts'
import { askToPaste, isDangerous } from './paste.tsx'
import type { Preferences } from './preferences.ts'
import type { TerminalSize } from './socket.ts'
import { fontFamilyOf, themeOf } from './themes.ts'

const WATCHED_FONT = { max: 14, min: 4 } as const

export interface ScreenEvents {
  /** Input that the person typed or pasted, and answers of the emulator to the host. */
  onInput: (bytes: Uint8Array) => void
  onResize: (size: TerminalSize) => void
  onTitle?: (title: string) => void
  /** The keys of the search were pressed. */
  onFind?: () => void
  /** Has the size of somebody else's terminal, see `follow`. */
  follows?: boolean
}

export interface Screen {
  write: (output: Uint8Array | string) => void
  /** Sends text as if it had been typed. */
  type: (text: string) => void
  /** Empties the screen and forgets all modes that the last session had set. */
  reset: () => void
  /** Takes the size of the box; nothing happens while it is hidden. */
  fit: () => void
  /** Takes the size of the watched terminal and makes letters so small that it fits the box. */
  follow: (size: TerminalSize) => void
  focus: () => void
  size: () => TerminalSize
  find: Finder
  /** Follows other settings. */
  apply: (preferences: Preferences) => void
  dispose: () => void
}

/** Opens an emulator in `box`. A read-only one shows and copies, and sends nothing. */
export function openScreen(box: HTMLElement, given: Preferences, events: ScreenEvents | 'read-only'): Screen {
  const readOnly = events === 'read-only'
  const follows = readOnly || events.follows === true
  const settings = { current: given }
  const terminal = newTerminal({ readOnly })
  const fitting = new FitAddon()
  terminal.loadAddon(fitting)
  const apply = (preferences: Preferences) => {
    settings.current = preferences
    dress(terminal, box, preferences, follows)
  }
  apply(given)
  terminal.open(box)
  if (!readOnly) terminal.textarea?.setAttribute('aria-description', t('Ctrl+F6 leaves the terminal'))

  const fit = () => {
    if (box.clientWidth > 0 && box.clientHeight > 0) fitting.fit()
  }
  if (!follows) fit()
  if (!readOnly) {
    terminal.onData((input) => events.onInput(inputBytes(input, settings.current.backspaceAsCtrlH)))
    terminal.onBinary((input) => events.onInput(rawBytes(input)))
    if (!follows) terminal.onResize(({ cols, rows }) => events.onResize({ cols, rows }))
    terminal.onTitleChange((title) => events.onTitle?.(title))
  }
  const onFind = readOnly ? undefined : events.onFind
  const ends = [
    takeKeys(terminal, onFind),
    copyAndPaste(terminal, box, settings, readOnly),
    followLinks(terminal, box),
    ...(readOnly ? [] : [watchPaste(terminal, box, settings)]),
  ]

  let watched: TerminalSize | undefined
  const shrink = () => watched && shrinkTo(terminal, box, watched)
  // A window being dragged, a folded tree, a turned phone: the box knows them all.
  let frame = 0
  const observer = new ResizeObserver(() => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(follows ? shrink : fit)
  })
  observer.observe(box)

  return {
    write: outputQueue((output, written) => terminal.write(output, written)),
    type: (text) => terminal.input(text),
    reset: () => terminal.reset(),
    fit,
    follow(size) {
      watched = size
      shrink()
    },
    focus: () => terminal.focus(),
    size: () => ({ cols: terminal.cols, rows: terminal.rows }),
    find: finderIn(terminal),
    apply(preferences) {
      apply(preferences)
      if (!follows) fit()
    },
    dispose() {
      observer.disconnect()
      cancelAnimationFrame(frame)
      for (const end of ends) end()
      terminal.dispose()
    },
  }
}

function newTerminal({ readOnly }: { readOnly: boolean }): Terminal {
  const terminal = new Terminal({
    allowProposedApi: true,
    disableStdin: readOnly,
    // The underscores of some fonts, such as DejaVu's, would be cut off below.
    lineHeight: navigator.userAgent.includes('Windows') ? 1.2 : 1.1,
    scrollback: 5000,
  })
  terminal.loadAddon(new Unicode11Addon())
  // Hosts count East Asian letters and emoji by a newer table than the emulator's own; a different
  // width garbles every line that holds one.
  terminal.unicode.activeVersion = '11'
  // A machine says what it likes; it must not be able to freeze the tab.
  dropCostlySequences(terminal.parser)
  return terminal
}

/** Letters and colors as the person wants them; those of a watched terminal have the size that fits. */
function dress(terminal: Terminal, box: HTMLElement, preferences: Preferences, follows: boolean): void {
  const { colors } = themeOf(preferences.theme)
  Object.assign(terminal.options, {
    fontFamily: fontFamilyOf(preferences.font),
    rightClickSelectsWord: !preferences.rightClickPaste,
    theme: colors,
    ...(follows ? {} : { fontSize: preferences.fontSize }),
  })
  if (follows && !terminal.element) terminal.options.fontSize = WATCHED_FONT.max
  // The edge around the letters has their ground.
  box.style.backgroundColor = colors.background
}

/** What keys mean before the machine has them. Returns a function that ends it. */
function takeKeys(terminal: Terminal, onFind: (() => void) | undefined): () => void {
  terminal.attachCustomKeyEventHandler((event) => {
    const meaning = keyMeaning(event, terminal.hasSelection(), terminal.options.disableStdin)
    if (meaning === 'find' && !onFind) return true
    if (meaning === 'find') onFind?.()
    if (meaning === 'leave') leave(terminal)
    if (meaning === 'copy') {
      void copyText(terminal.getSelection())
      terminal.clearSelection()
    }
    if (meaning === 'copy' || meaning === 'find') event.preventDefault()
    return meaning === 'terminal'
  })
  return () => terminal.attachCustomKeyEventHandler(() => true)
}

/**
 * A selection is copied by selecting, and a right click pastes, where the person wants that. Returns a
 * function that ends it.
 */
function copyAndPaste(
  terminal: Terminal,
  box: HTMLElement,
  settings: { readonly current: Preferences },
  readOnly: boolean,
): () => void {
  const copySelection = () => {
    if (settings.current.copyOnSelect && terminal.hasSelection()) void copyText(terminal.getSelection())
  }
  const quickPaste = (event: MouseEvent) => {
    if (readOnly || !settings.current.rightClickPaste || event.ctrlKey) return
    event.preventDefault()
    void pasteText().then((text) => pasteInto(terminal, text, settings.current))
  }
  box.addEventListener('mouseup', copySelection)
  box.addEventListener('contextmenu', quickPaste)
  return () => {
    box.removeEventListener('mouseup', copySelection)
    box.removeEventListener('contextmenu', quickPaste)
  }
}

/** A dangerous text is asked about before the emulator has it; all others it takes by itself. */
function watchPaste(terminal: Terminal, box: HTMLElement, settings: { readonly current: Preferences }): () => void {
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (!settings.current.confirmPaste || !isDangerous(text, terminal.modes.bracketedPasteMode)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    void pasteInto(terminal, text, settings.current)
  }
  box.addEventListener('paste', onPaste, true)
  return () => box.removeEventListener('paste', onPaste, true)
}

async function pasteInto(terminal: Terminal, text: string, { confirmPaste }: Preferences): Promise<void> {
  if (!confirmPaste || !isDangerous(text, terminal.modes.bracketedPasteMode) || (await askToPaste(text)))
    terminal.paste(text)
  terminal.focus()
}

/** The tab of the terminal has the keyboard then; where there are none, the Tab key goes on from here. */
function leave(terminal: Terminal): void {
  terminal.blur()
  document.querySelector<HTMLElement>('.wt-tabs [role="tab"][aria-selected="true"]')?.focus()
}

/** Takes the size of a watched terminal, with letters so small that it fits the box. */
function shrinkTo(terminal: Terminal, box: HTMLElement, { cols, rows }: TerminalSize): void {
  terminal.options.fontSize = WATCHED_FONT.max
  terminal.resize(cols, rows)
  const drawn = box.querySelector<HTMLElement>('.xterm-screen')
  if (!drawn?.offsetWidth) return
  const share = Math.min(box.clientWidth / drawn.offsetWidth, box.clientHeight / drawn.offsetHeight)
  if (share < 1) terminal.options.fontSize = Math.max(WATCHED_FONT.min, Math.floor(WATCHED_FONT.max * share))
}
