/**
 * Where a desktop is typed into: a field that nobody sees, over the picture. Keys go on to the viewer
 * as they are; what an input method makes of several of them goes as characters, so that Chinese is
 * typed as everywhere, and a phone shows its keyboard.
 */

export interface KeyFieldEvents {
  /** Characters that no key stands for. */
  type: (text: string) => void
  /** The person wants to be back at the page. */
  leave: () => void
}

/** X11's numbers, by the place of the key. */
const MODIFIERS: Readonly<Record<string, number>> = {
  ShiftLeft: 0xffe1,
  ShiftRight: 0xffe2,
  ControlLeft: 0xffe3,
  ControlRight: 0xffe4,
  AltLeft: 0xffe9,
  AltRight: 0xffea,
  MetaLeft: 0xffeb,
  MetaRight: 0xffec,
}

/** What an input method, or a dead key, will make something of. */
const isComposed = (event: KeyboardEvent) =>
  event.isComposing || event.keyCode === 229 || event.key === 'Process' || event.key === 'Dead'

/** The way out of a desktop by keyboard alone, as clients of RDP have it. */
export const isWayOut = (event: Pick<KeyboardEvent, 'ctrlKey' | 'altKey' | 'code'>) =>
  event.ctrlKey && event.altKey && event.code === 'Home'

/** Makes the field in `box`; keys are handed to what is drawn on, modifiers are let go with `release`. */
export function openKeyField(
  box: HTMLElement,
  canvas: HTMLElement,
  label: string,
  { type, leave }: KeyFieldEvents,
  release: (keysym: number, code: string) => void,
) {
  const field = document.createElement('textarea')
  field.className = 'wt-desktop-keys'
  field.setAttribute('aria-label', label)
  field.autocapitalize = 'off'
  field.autocomplete = 'off'
  field.spellcheck = false
  // A phone's keyboard comes when it is asked for, not with every touch.
  if (matchMedia('(pointer: coarse)').matches) field.inputMode = 'none'
  const held = new Set<string>()

  const onKey = (event: KeyboardEvent) => {
    if (event.type === 'keydown' && isWayOut(event)) {
      event.preventDefault()
      event.stopPropagation()
      return leave()
    }
    if (isComposed(event)) return
    if (event.code in MODIFIERS) held[event.type === 'keydown' ? 'add' : 'delete'](event.code)
    const copy = new KeyboardEvent(event.type, {
      ...{ key: event.key, code: event.code, location: event.location, repeat: event.repeat, cancelable: true },
      ...{ ctrlKey: event.ctrlKey, shiftKey: event.shiftKey, altKey: event.altKey, metaKey: event.metaKey },
      ...{ keyCode: event.keyCode },
      modifierCapsLock: event.getModifierState('CapsLock'),
      modifierNumLock: event.getModifierState('NumLock'),
      modifierAltGraph: event.getModifierState('AltGraph'),
    })
    if (!canvas.dispatchEvent(copy)) event.preventDefault()
  }
  const take = () => {
    const text = field.value
    field.value = ''
    if (text) type(text)
  }
  field.addEventListener('keydown', onKey)
  field.addEventListener('keyup', onKey)
  field.addEventListener('compositionend', take)
  field.addEventListener('input', (event) => (event as InputEvent).isComposing || take())
  // Whoever is somewhere else lets go of keys there, of which the desktop would never hear.
  field.addEventListener('blur', () => {
    for (const code of held) release(MODIFIERS[code] as number, code)
    held.clear()
  })
  canvas.addEventListener('pointerdown', () => setTimeout(() => field.focus({ preventScroll: true })))
  box.append(field)
  return {
    focus: () => field.focus({ preventScroll: true }),
    /** Shows the keyboard of a phone. */
    showKeyboard() {
      field.inputMode = 'text'
      field.blur()
      field.focus({ preventScroll: true })
    },
    dispose: () => field.remove(),
  }
}

/** X11's number of a character. */
export function keysymOf(character: string): number {
  const point = character.codePointAt(0) ?? 0
  if (character === '\n') return 0xff0d
  const isLatin = (point >= 0x20 && point <= 0x7e) || (point >= 0xa0 && point <= 0xff)
  return isLatin ? point : 0x01000000 | point
}
