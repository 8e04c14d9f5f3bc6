/**
 * Where a desktop is typed into: a field that nobody sees, over the picture. Keys go on to the viewer
 * as they are; what an input method makes of several of them goes as characters, so that Chinese is
 * typed as everywhere, and a phone shows its keyboard.
 */

export interface KeyFieldEvents {
  /** Characters that no key is for. */
  type: (text: string) => void
  /** The person wants to be back at the page. */
  leave: () => void
}

/** Input that an input method, or a dead key, will make something of. */
const isComposed = (event: KeyboardEvent) =>
  event.isComposing || event.keyCode === 229 || event.key === 'Process' || event.key === 'Dead'

/** The way out of a desktop by keyboard alone, as clients of RDP have it. */
export const isWayOut = (event: Pick<KeyboardEvent, 'ctrlKey' | 'altKey' | 'code'>) =>
  event.ctrlKey && event.altKey && event.code === 'Home'

/** Makes the field in `box`; keys are handed to what is drawn on. */
export function openKeyField(box: HTMLElement, canvas: HTMLElement, label: string, { type, leave }: KeyFieldEvents) {
  const field = document.createElement('textarea')
  field.className = 'wt-desktop-keys'
  field.setAttribute('aria-label', label)
  field.autocapitalize = 'off'
  field.autocomplete = 'off'
  field.spellcheck = false
  // A phone's keyboard comes when it is asked for, not with every touch.
  const hideKeyboard = () => {
    if (matchMedia('(pointer: coarse)').matches) field.inputMode = 'none'
  }
  hideKeyboard()
  /** Places of the keys that went down. */
  const held = new Set<string>()

  const onKey = (event: KeyboardEvent) => {
    if (event.type === 'keydown' && isWayOut(event)) {
      event.preventDefault()
      event.stopPropagation()
      return leave()
    }
    const isDown = event.type === 'keydown'
    // What went down as a key comes up as one, also where an input method has begun meanwhile.
    if (isComposed(event) && (isDown || !held.has(event.code))) return
    if (event.code) held[isDown ? 'add' : 'delete'](event.code)
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
  // A person who is somewhere else lets go of keys there, of which the desktop would never hear. The viewer
  // alone knows as what it has pressed them: Option and Command of a Mac are other keys elsewhere.
  const letGo = () => {
    for (const code of held) canvas.dispatchEvent(new KeyboardEvent('keyup', { code, cancelable: true }))
    held.clear()
  }
  field.addEventListener('blur', () => {
    letGo()
    hideKeyboard()
  })
  canvas.addEventListener('pointerdown', () => setTimeout(() => field.focus({ preventScroll: true })))
  box.append(field)
  return {
    focus: () => field.focus({ preventScroll: true }),
    /** Shows the keyboard of a phone. */
    showKeyboard() {
      field.blur()
      field.inputMode = 'text'
      field.focus({ preventScroll: true })
    },
    /** Nobody types into a desktop that is only looked at, and nobody is kept there. */
    setOn(isOn: boolean) {
      if (!isOn) letGo()
      field.disabled = !isOn
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
