/** A box above a button of the player's bar: it opens and closes with the button, and Escape leads back. */
import { made } from './time-line.ts'

export interface BarPopup {
  /** The button, with its box. */
  element: HTMLElement
  toggle: () => void
}

/** @param fill makes what is in the box, each time it opens; answers what gets the focus, if anything */
export function barPopup(
  button: HTMLButtonElement,
  role: 'menu' | 'dialog',
  fill: (box: HTMLElement, close: () => void) => HTMLElement | undefined,
): BarPopup {
  const element = made('span', 'rp-with-popup')
  const box = made('div', 'rp-popup')
  box.setAttribute('role', role)
  box.setAttribute('aria-label', button.getAttribute('aria-label') ?? '')
  box.tabIndex = -1
  box.hidden = true
  button.setAttribute('aria-haspopup', role)
  element.append(button, box)

  const turn = (isOpen: boolean) => {
    box.hidden = !isOpen
    button.setAttribute('aria-expanded', String(isOpen))
    if (!isOpen) return
    box.replaceChildren()
    const first = fill(box, close)
    ;(first ?? box).focus()
  }
  const close = () => {
    turn(false)
    button.focus()
  }
  const toggle = () => (box.hidden ? turn(true) : close())
  turn(false)
  button.addEventListener('click', toggle)
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || box.hidden) return
    event.stopPropagation()
    event.preventDefault()
    close()
  })
  element.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && element.contains(relatedTarget))) turn(false)
  })
  return { element, toggle }
}
