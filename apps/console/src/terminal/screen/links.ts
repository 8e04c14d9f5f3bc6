/**
 * Addresses in a terminal that can be followed. A machine writes what it likes: only http and https are
 * links, and the whole address is shown before somebody follows it.
 */
import { WebLinksAddon } from '@xterm/addon-web-links'
import type { Terminal } from '@xterm/xterm'
import { ask } from '../../design/dialogs/feedback.tsx'
import { t } from '../../lib/i18n.ts'

/** A shown address is cut behind so many characters, */
const SHOWN_MAX = 400
/** and stands so many pixels below the pointer. */
const BELOW_PX = 18

/** The address as the browser reads it; undefined for what is no page of the web. */
export function webAddress(text: string): string | undefined {
  const address = URL.canParse(text) ? new URL(text) : undefined
  return address && ['http:', 'https:'].includes(address.protocol) ? address.href : undefined
}

/** Makes addresses in the terminal links, with a note in `box` under the pointer. Returns a function that ends it. */
export function followLinks(terminal: Terminal, box: HTMLElement): () => void {
  const note = document.createElement('div')
  note.className = 'wt-link-note'
  note.setAttribute('role', 'tooltip')
  note.hidden = true
  box.append(note)
  const links = {
    activate: (_event: MouseEvent, text: string) => {
      // The end of a drag over it selects.
      if (!terminal.hasSelection()) void follow(text)
    },
    hover(event: MouseEvent, text: string) {
      const address = webAddress(text)
      if (!address) return
      note.textContent = address.length > SHOWN_MAX ? `${address.slice(0, SHOWN_MAX)}…` : address
      note.hidden = false
      place(note, box, event)
    },
    leave: () => {
      note.hidden = true
    },
  }
  terminal.loadAddon(new WebLinksAddon(links.activate, { hover: links.hover, leave: links.leave }))
  // Those that a program names itself, under other words (OSC 8).
  terminal.options.linkHandler = { ...links, allowNonHttpProtocols: false }
  return () => note.remove()
}

async function follow(text: string): Promise<void> {
  const address = webAddress(text)
  if (!address) return
  // A finger does not hover: it is asked instead.
  const isSeen = !matchMedia('(hover: none)').matches
  if (isSeen || (await ask({ title: t('Open this address?'), content: address, okText: t('Open') })))
    window.open(address, '_blank', 'noopener,noreferrer')
}

function place(note: HTMLElement, box: HTMLElement, { clientX, clientY }: MouseEvent): void {
  const { left, top, width, height } = box.getBoundingClientRect()
  const x = Math.max(0, Math.min(clientX - left, width - note.offsetWidth))
  const below = clientY - top + BELOW_PX
  const y = below + note.offsetHeight > height ? clientY - top - note.offsetHeight - BELOW_PX / 2 : below
  Object.assign(note.style, { left: `${x}px`, top: `${Math.max(0, y)}px` })
}
