import headless from '@xterm/headless'
import { expect, test } from 'vitest'
import { cellWidth } from './cell-width.ts'

const widthOf = (text: string) => [...text].reduce((sum, character) => sum + cellWidth(character), 0)

test.each([
  ['plain letters', 'abc', 3],
  ['Latin with marks, composed', 'é', 1],
  ['Latin with marks, combining', 'e\u0301', 1],
  ['Arabic with vowels', 'سَلَام', 4],
  ['Thai with vowels above', 'ที่', 1],
  ['Chinese', '堡垒机', 6],
  ['Chinese beyond the basic plane', '𠀀', 2],
  ['full-width letters and punctuation', 'Ａ，。', 6],
  ['Japanese, half-width', 'ｶﾅ', 2],
  ['Japanese with a combining voice mark', 'か\u3099', 2],
  ['Korean syllables', '한글', 4],
  ['Korean in letters', '\u1112\u1161\u11ab', 2],
  ['emoji of the first blocks', '😀🎉', 4],
  ['rocket and cars', '🚀🚗', 4],
  ['emoji among older symbols', '⌚⏰☔✅❌⭐', 12],
  ['newer emoji', '🥰🫠🪪🟢', 8],
  ['symbols that are text by default', '☀☎✔', 3],
  ['a variation selector takes no column of its own', '❤\ufe0f', 1],
  ['a flag is two letters', '🇨🇳', 2],
  ['a skin tone is an emoji of its own', '👍🏽', 4],
  ['a family is its people', '👨\u200d👩\u200d👧', 6],
  ['nothing to be seen', '\u200b\u200d\ufeff', 0],
  ['box drawing and ambiguous ones', '─│…“”', 5],
])('%s', (_, text, columns) => {
  expect(widthOf(text)).toBe(columns)
})

test('the emulator puts the cursor where it is counted to be, for Chinese and marks', async () => {
  const text = '堡垒机 한글 Ａ e\u0301 ─│'
  const terminal = new headless.Terminal({ cols: 80, rows: 2, allowProposedApi: true })
  await new Promise<void>((resolve) => terminal.write(text, resolve))
  expect(terminal.buffer.active.cursorX).toBe(widthOf(text))
  terminal.dispose()
})
