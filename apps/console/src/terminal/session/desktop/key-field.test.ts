import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openKeyField } from './key-field.ts'

let isPhone = false
beforeEach(() => {
  isPhone = false
  vi.stubGlobal('matchMedia', () => ({ matches: isPhone }))
})
afterEach(() => {
  document.body.replaceChildren()
  vi.unstubAllGlobals()
})

/** A field in use, and the keys that the desktop gets. */
function open() {
  const box = document.createElement('div')
  const canvas = document.createElement('canvas')
  const reported: string[] = []
  for (const type of ['keydown', 'keyup'])
    canvas.addEventListener(type, (event) => reported.push(`${type} ${(event as KeyboardEvent).code}`))
  document.body.append(box, canvas)
  const field = openKeyField(box, canvas, 'Desktop', { type: (text) => reported.push(text), leave: () => {} })
  const element = box.querySelector('textarea') as HTMLTextAreaElement
  field.focus()
  const key = (type: string, code: string, more: KeyboardEventInit = {}) =>
    element.dispatchEvent(new KeyboardEvent(type, { code, bubbles: true, cancelable: true, ...more }))
  return { field, element, reported, key }
}

test('[A1.06] a key that went down before an input method began comes up at the desktop', () => {
  const { reported, key } = open()
  key('keydown', 'ShiftLeft', { key: 'Shift' })
  key('keydown', 'KeyN', { key: 'Process', isComposing: true })
  key('keyup', 'ShiftLeft', { key: 'Process', isComposing: true })
  key('keyup', 'KeyN', { key: 'n', isComposing: true })
  expect(reported).toEqual(['keydown ShiftLeft', 'keyup ShiftLeft'])
})

test('[A1.06] leaving the desktop, or losing control, leaves no key pressed there', () => {
  const { field, element, reported, key } = open()
  key('keydown', 'AltLeft', { key: 'Alt' })
  key('keydown', 'F4', { key: 'F4' })
  element.blur()
  expect(reported.slice(2)).toEqual(['keyup AltLeft', 'keyup F4'])
  element.blur()
  field.focus()
  key('keydown', 'KeyA', { key: 'a' })
  field.setOn(false)
  expect(reported.slice(4)).toEqual(['keydown KeyA', 'keyup KeyA'])
  expect(element.disabled).toBe(true)
})

test("a phone's keyboard comes when it is asked for, once", () => {
  isPhone = true
  const { field, element } = open()
  expect(element.inputMode).toBe('none')
  field.showKeyboard()
  expect(element.inputMode).toBe('text')
  expect(document.activeElement).toBe(element)
  element.blur()
  expect(element.inputMode).toBe('none')
})
