import { expect, test } from 'vitest'
import { inputBytes, keyMeaning, rawBytes } from './keys.ts'

const press = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  type: 'keydown',
  key,
  ctrlKey: true,
  altKey: false,
  metaKey: false,
  isComposing: false,
  ...more,
})

test('[A2.67] Ctrl+C copies a selection and is sent without one; Ctrl+V is the browser’s', () => {
  expect(keyMeaning(press('c'), true)).toBe('copy')
  expect(keyMeaning(press('c'), false)).toBe('terminal')
  expect(keyMeaning(press('v'), false)).toBe('browser')
  expect(keyMeaning(press('V', { shiftKey: true }), false)).toBe('browser')
  expect(keyMeaning(press('c', { ctrlKey: false }), true)).toBe('terminal')
})

test('[A2.67] Tab is the machine’s, so Ctrl+F6 leaves the terminal; a screen that only shows lets Tab pass', () => {
  const tab = press('Tab', { ctrlKey: false })
  expect([keyMeaning(tab, false), keyMeaning(tab, false, true)]).toEqual(['terminal', 'browser'])
  expect(keyMeaning(press('F6'), false)).toBe('leave')
  expect(keyMeaning(press('F6', { ctrlKey: false }), false)).toBe('terminal')
})

test('[A2.67] no key is taken from an input method that composes', () => {
  expect(keyMeaning(press('c', { isComposing: true }), true)).toBe('terminal')
})

test('[A2.67] Backspace is sent as Ctrl+H only when the setting says so', () => {
  expect([...inputBytes('\x7f', true)]).toEqual([8])
  expect([...inputBytes('\x7f', false)]).toEqual([127])
  expect([...inputBytes('中', true)]).toEqual([0xe4, 0xb8, 0xad])
})

test('[A2.67] input that is no text goes byte by byte', () => {
  expect([...rawBytes('\x1b[M\xe0')]).toEqual([27, 91, 77, 224])
})

test('Ctrl+Shift+F or Cmd+F looks for a text; Ctrl+F stays the program’s', () => {
  expect(keyMeaning(press('F', { shiftKey: true }), false)).toBe('find')
  expect(keyMeaning(press('f', { ctrlKey: false, metaKey: true }), false)).toBe('find')
  expect(keyMeaning(press('f'), false)).toBe('terminal')
  expect(keyMeaning(press('F', { ctrlKey: false, shiftKey: true }), false)).toBe('terminal')
})
