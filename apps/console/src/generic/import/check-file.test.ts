// @vitest-environment node
import { expect, test } from 'vitest'
import { checkFile } from './check-file.ts'

const csv = (name: string, text = 'name\r\na') => new File([text], name)
const archive = (name: string) => new File([new Uint8Array([0x50, 0x4b, 3, 4, 20])], name)
const fault = async (files: File[], limit = 30) => {
  const checked = await checkFile(files, limit)
  return 'fault' in checked ? checked.fault : checked.type
}

test('[A5.12 B5.01] one CSV or XLSX file is taken, whatever the case of its name', async () => {
  expect(await fault([csv('a.csv')])).toBe('csv')
  expect(await fault([archive('A.XLSX')])).toBe('xlsx')
  expect(await fault([csv('a.csv'), csv('b.csv')])).toBe('many')
  expect(await fault([csv('a.xls')])).toBe('type')
  expect(await fault([csv('csv')])).toBe('type')
})

test('[A5.13 B9.04] the limit in force decides to the byte', async () => {
  const size = (bytes: number) => csv('a.csv', 'x'.repeat(bytes))
  expect(await fault([size(2 ** 20)], 1)).toBe('csv')
  expect(await fault([size(2 ** 20 + 1)], 1)).toBe('size')
  expect(await fault([size(0)], 1)).toBe('empty')
})

test('[A5.14] a workbook with the name of a text, and the other way round, is reported before it is sent', async () => {
  expect(await fault([archive('a.csv')])).toBe('content')
  expect(await fault([new File([new Uint8Array([0xd0, 0xcf, 0x11, 0xe0])], 'old.csv')])).toBe('content')
  expect(await fault([csv('a.xlsx')])).toBe('content')
})
