import { expect, test } from 'vitest'
import { imageHeader } from './image-size.ts'
import { beginsAsGuacamole, instructionsOf, MAX_INSTRUCTION_BYTES, readInstruction } from './instructions.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string) =>
  [...instructionsOf(bytes(text))].map((one) => [
    one.opcode,
    ...Array.from({ length: one.count }, (_, n) => one.text(n)),
  ])

test('lengths count code points, whatever bytes they have', () => {
  expect(read('4.size,1.0,4.1024,3.768;4.sync,13.1700000000000;')).toEqual([
    ['size', '0', '1024', '768'],
    ['sync', '1700000000000'],
  ])
  expect(read('4.name,4.世界😀é;3.nop;0.;')).toEqual([['name', '世界😀é'], ['nop'], ['']])
  expect(read('5.a,b;c,1.;;')).toEqual([['a,b;c', ';']])
})

test('an instruction that is cut off is left, and one that is none ends it', () => {
  for (const text of ['3.no', '3.nop', '3', '', '3.nop,', '4.sync,13.17', '2.é'])
    expect([text, readInstruction(bytes(text), 0)]).toEqual([text, 'more'])
  for (const text of [
    'x',
    '.nop;',
    '-1.a;',
    '3.nopx;',
    '2.nop;',
    '999999999.a;',
    '1e3.a;',
    ' 3.nop;',
    '3;nop;',
    '3.nop:',
  ])
    expect([text, readInstruction(bytes(text), 0)]).toEqual([text, 'broken'])
  expect(readInstruction(bytes(`${MAX_INSTRUCTION_BYTES + 1}.a`), 0)).toBe('broken')
  expect(readInstruction(bytes(`${'1.a,'.repeat(1000)}1.a;`), 0)).toBe('broken')
  expect(read('3.nop;3.nopx;3.nop;')).toEqual([['nop']])
})

test('bytes that only continue a letter end it as well where an instruction is too long', () => {
  const endless = new Uint8Array(MAX_INSTRUCTION_BYTES + 100).fill(0x80)
  endless.set(bytes('4.size,1.'))
  expect(readInstruction(endless.subarray(0, 1000), 0)).toBe('more')
  expect(readInstruction(endless, 0)).toBe('broken')
})

test('a recording is known by its beginning', () => {
  for (const text of ['4.size,1.0,1.1,1.1;', '5.ready,2.$a;', `4.blob,1.1,80000.${'A'.repeat(70_000)}`])
    expect(beginsAsGuacamole(bytes(text))).toBe(true)
  for (const text of ['', '{"0.1":"a"}', '{"version": 2}', '1.5', 'dump', '4.', '\u001f\u008b'])
    expect([text, beginsAsGuacamole(bytes(text))]).toEqual([text, false])
})

test('images say in their headers how large they are, and whether one can see through', () => {
  const hex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const png = (color: string, chunk: string, side = '00000010') =>
    hex(`89504e470d0a1a0a0000000d49484452${side}0000000808${color}000000deadbeef00000001${chunk}00deadbeef`)
  const [idat, trns] = ['49444154', '74524e53']
  expect(imageHeader(png('02', idat))).toEqual({ width: 16, height: 8, opaque: true })
  expect(imageHeader(png('03', trns))).toMatchObject({ opaque: false })
  expect(imageHeader(png('06', idat))).toMatchObject({ opaque: false })
  expect(imageHeader(hex('ffd8ffe000104a46494600010100000100010000ffc0001108004000800301'))).toEqual({
    width: 128,
    height: 64,
    opaque: true,
  })
  expect(imageHeader(hex('524946460000000057454250565038580a00000010000000ff0000ff00000000'))).toEqual({
    width: 256,
    height: 256,
    opaque: false,
  })
  expect(imageHeader(hex('5249464600000000574542505650382000000000300100 9d012a80004000'.replace(' ', '')))).toEqual({
    width: 128,
    height: 64,
    opaque: true,
  })
  // A few bytes that would be unpacked to gigabytes.
  for (const wrong of [
    png('02', idat, '7fffffff'),
    png('02', idat, '00000000'),
    hex('ffd8ffe0ffff'),
    new Uint8Array(0),
  ])
    expect(imageHeader(wrong)).toBeUndefined()
})
