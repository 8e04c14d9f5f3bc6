import { expect, test } from 'vitest'
import { TextSearch } from './text-search.ts'

function search(wanted: string, ...outputs: [time: number, text: string][]) {
  const found = new TextSearch(wanted)
  for (const [time, text] of outputs) found.add(JSON.stringify([time, 'o', text]))
  return found.end()
}
const times = (answer: ReturnType<typeof search>) => answer.hits.map(({ time }) => time)

test('text is found as it stood on the screen, colors and case aside, at the second when it was whole', () => {
  const { hits } = search('Error', [1, 'all fine\r\n'], [2, 'an \x1b[31mERR'], [3, 'OR\x1b[0m happened\r\n'])
  expect(hits).toEqual([{ time: 3, text: 'an ERROR happened', from: 3, to: 8 }])
})

test('text that was typed letter by letter is found, with its corrections', () => {
  const typed = [...'cat /etc/passwx\b \bd'].map((letter, n): [number, string] => [n, letter])
  expect(times(search('/etc/passwd', ...typed))).toEqual([typed.length - 1])
  expect(times(search('passwx', ...typed))).toEqual([])
})

test('a sequence that is cut over two outputs is no text', () => {
  expect(times(search('31m', [1, 'a\x1b['], [2, '31mb\r\n']))).toEqual([])
  expect(times(search('ab', [1, 'a\x1b['], [2, '31mb\r\n']))).toEqual([2])
  expect(times(search('title', [1, '\x1b]0;the title\x07prompt$ ']))).toEqual([])
})

test('a progress bar is found in every state; what jumps about is found in the pieces it was written in', () => {
  expect(times(search('50%', [1, ' 10%\r'], [2, ' 50%\r'], [3, '100%\r\n']))).toEqual([2])
  expect(times(search('leftright', [1, 'left\x1b[5;60Hright']))).toEqual([])
  expect(times(search('a  b', [1, 'a\x1b[2Cb']))).toEqual([1])
})

test('Chinese, and letters whose small form is longer, keep their places', () => {
  expect(search('磁盘', [1, 'İ 磁盘已满\r\n']).hits).toEqual([{ time: 1, text: 'İ 磁盘已满', from: 2, to: 4 }])
})

test('long lines are shown in part and found across the cut; many places end the search', () => {
  const long = `${'x'.repeat(4090)}needle in${'y'.repeat(9000)}`
  const { hits } = search('needle in', [1, long])
  expect(hits).toHaveLength(1)
  expect(hits[0]?.text.length).toBeLessThan(200)
  expect(hits[0]?.text.slice(hits[0].from, hits[0].to)).toBe('needle in')
  const many = search('aa', [1, `${'aa\r\n'.repeat(150)}`])
  expect(many.hits).toHaveLength(100)
  expect(many.more).toBe(true)
})

test('damaged lines and other events are passed over', () => {
  const found = new TextSearch('ok')
  for (const line of ['{"version":2}', '[1,"i","ok"]', '[2,"o",', 'ok', '[3,"o","ok"]']) found.add(line)
  expect(found.end()).toMatchObject({ hits: [{ time: 3 }], more: false })
})
