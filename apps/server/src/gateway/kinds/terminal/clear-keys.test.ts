import { expect, test } from 'vitest'
import { clearKeysOf } from './clear-keys.ts'

test.each([
  ['ssh', 'Linux', '\x05\x15\r', '\x03'],
  ['ssh', undefined, '\x05\x15\r', '\x03'],
  ['ssh', 'Huawei S5700', '\x05\x15\r', '\x03'],
  ['ssh', 'H3C', '\x05\x18', '\x05\x18'],
  ['telnet', 'Linux', '\x03', '\x03'],
  ['telnet', 'huawei', '\x05\x15', '\x05\x15'],
  ['telnet', 'H3C', '\x03', '\x03'],
] as const)('a denied line of %s on %s is emptied as that machine understands it', (protocol, platform, line, rows) => {
  const keys = clearKeysOf(protocol, platform)
  expect([`${keys.line}${keys.onward ?? ''}`, keys.rows.toString()]).toEqual([line, rows])
})
