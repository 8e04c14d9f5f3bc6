import { expect, test } from 'vitest'
import { decodeText, pictureType } from './decode-text.ts'

const GBK = Uint8Array.from([0xd6, 0xd0, 0xce, 0xc4, 0xce, 0xc4, 0xbc, 0xfe, 0x0a]) // 中文文件
const utf8 = (text: string) => new TextEncoder().encode(text)

test('Chinese is read whether it is UTF-8 or GBK, and said which', () => {
  expect(decodeText(utf8('中文 text'))).toEqual({ text: '中文 text', encoding: 'UTF-8' })
  expect(decodeText(GBK)).toEqual({ text: '中文文件\n', encoding: 'GBK' })
})

test('a character that was cut at the end does not change the guess', () => {
  const cut = utf8('甲乙丙').subarray(0, 8)
  expect(decodeText(cut, { isCut: true })).toEqual({ text: '甲乙', encoding: 'UTF-8' })
  expect(decodeText(GBK.subarray(0, 7), { isCut: true })).toEqual({ text: '中文文', encoding: 'GBK' })
})

test('Western text of old systems, UTF-16, and what is no text', () => {
  expect(decodeText(Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x20, 0x61, 0x75]))).toEqual({
    text: 'café au',
    encoding: 'Latin-1',
  })
  expect(decodeText(Uint8Array.from([0xff, 0xfe, 0x41, 0, 0x42, 0]))).toEqual({ text: 'AB', encoding: 'UTF-16' })
  expect(decodeText(Uint8Array.from([1, 2, 0, 4]))).toBeUndefined()
  expect(decodeText(new Uint8Array(100).fill(7))).toBeUndefined()
  expect(decodeText(utf8('\x1b[31mred\x1b[0m'))).toEqual({ text: '\x1b[31mred\x1b[0m', encoding: 'UTF-8' })
  expect(decodeText(new Uint8Array())).toEqual({ text: '', encoding: 'UTF-8' })
})

test('a picture is known by its bytes; SVG and HTML are never pictures', () => {
  expect(pictureType(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d]))).toBe('image/png')
  expect(pictureType(utf8('RIFF1234WEBPVP8 '))).toBe('image/webp')
  expect(pictureType(utf8('<svg xmlns="http://www.w3.org/2000/svg"><script>'))).toBeUndefined()
  expect(pictureType(utf8('<!doctype html>'))).toBeUndefined()
})
