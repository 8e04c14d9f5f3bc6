import { expect, test } from 'vitest'
import { fetchingIn, silentAt } from './silent-keys.ts'

const at = (...keys: string[]) => keys.map((one) => silentAt(Buffer.from(one, 'latin1')))

test('keys that go back or erase what is before the cursor do nothing at its beginning', () => {
  const keys = ['\x01', '\x02', '\x15', '\x17', '\x7f', '\b', '\x1bb', '\x1b[D', '\x1bOH', '\x1b[D\x1b[D']
  expect(new Set(at(...keys))).toEqual(new Set(['begin']))
})

test('keys that go forward or delete what is behind the cursor do nothing at its end', () => {
  expect(new Set(at('\x05', '\x06', '\x0b', '\x1bd', '\x1bf', '\x1b[C', '\x1bOF', '\x0b\x0b'))).toEqual(
    new Set(['end']),
  )
})

test('a key that may bring text into the line is never silent: characters, history, completion, killed text', () => {
  const keys = ['a', 'ls', '\x10', '\x0e', '\x12', '\t', '\x19', '\x1b[A', '\x1bOB', '\x1b.', '\x1f', '\x13', '\x0ba']
  expect(new Set(at(...keys, '\x1b', '\x01\x0b', '\xe4', '\x1b[?1;2c', '\x1b[3~', '\x1b[1;5C'))).toEqual(
    new Set([undefined]),
  )
})

test('keys that may bring another line are counted, each sequence once, and the marks of a paste not at all', () => {
  const keys = ['ls', '\x10', '\x1b[A\x1b[A', '\x15\x19\x01', 'a\x7f\x7f', '\x1b[200~ls\x1b[201~', '\xe4\xbd\xa0', '']
  expect(keys.map((one) => fetchingIn(Buffer.from(one, 'latin1')))).toEqual([0, 1, 2, 1, 2, 0, 0, 0])
})
