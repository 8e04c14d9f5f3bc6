import { expect, test } from 'vitest'
import { encodeGbk, speakingGbk } from './charset.ts'
import type { OutputStream, TargetStream } from './streams.ts'

/** A machine that remembers its input and prints what it is given. */
function machineOf() {
  const written: Buffer[] = []
  let say: (bytes: Buffer, stream: OutputStream) => void = () => {}
  const machine: TargetStream = {
    start: (onOutput) => {
      say = onOutput
    },
    write: (bytes) => void written.push(bytes),
    pending: () => 0,
    onceTaken: (then) => then(),
    resize: () => {},
    endInput: () => {},
    signal: () => {},
    pause: () => {},
    resume: () => {},
    close: () => {},
  }
  return { machine, written: () => Buffer.concat(written), say: (bytes: Buffer) => say(bytes, 'stdout') }
}

test('every two-byte character of GBK comes back as it was', () => {
  const decoder = new TextDecoder('gbk')
  const codes: number[] = []
  // The Chinese characters of GB 2312, rows 16 to 87.
  for (let lead = 0xb0; lead <= 0xf7; lead++) for (let trail = 0xa1; trail <= 0xfe; trail++) codes.push(lead, trail)
  const text = decoder.decode(Uint8Array.from(codes)).replace(/[\ue000-\uf8ff\ufffd]/g, '')
  expect(text.length).toBeGreaterThan(6700)
  expect(decoder.decode(encodeGbk(text))).toBe(text)
  expect(encodeGbk('中文 ok').toString('hex')).toBe('d6d0cec4206f6b')
})

test.each([
  ['𠮷', '9534b235'],
  ['㐀', '8139ee39'],
  ['😀', '9439fc36'],
  ['ñ', '81308a39'],
  ['ﷲ', '8430fd36'],
  ['€', 'a2e3'],
])('%s, which GBK lacks, is typed as in GB 18030', (character, bytes) => {
  expect(encodeGbk(character).toString('hex')).toBe(bytes)
})

test('every character of Unicode comes back as it was, but for halves and what was private once', () => {
  const decoder = new TextDecoder('gb18030')
  const all = Array.from({ length: 0x110000 }, (_, code) => code).filter(
    (code) => !(code >= 0xd800 && code < 0xf900) && code !== 0xfffd,
  )
  for (let at = 0; at < all.length; at += 0x8000) {
    const text = String.fromCodePoint(...all.slice(at, at + 0x8000))
    expect(decoder.decode(encodeGbk(text)) === text).toBe(true)
  }
  expect(encodeGbk('half \ud83d').toString()).toBe('half ?')
})

test('characters cut between packets arrive whole, both ways', () => {
  const { machine, written, say } = machineOf()
  const shown: Buffer[] = []
  const session = speakingGbk(machine)
  session.start(
    (bytes) => shown.push(bytes),
    () => {},
  )
  for (const byte of encodeGbk('目录：文件')) say(Buffer.of(byte))
  expect(Buffer.concat(shown).toString()).toBe('目录：文件')
  for (const byte of Buffer.from('列出 ls\r')) session.write(Buffer.of(byte))
  expect(written()).toEqual(encodeGbk('列出 ls\r'))
})
