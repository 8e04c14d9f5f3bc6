import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withReasons } from './not-taken-back.ts'

const PAGE = new URL('../../../../docs/operate-undo.md', import.meta.url)

test('docs/operate-undo.md says of everything that is not taken back why not; SALLYPORT_WRITE_UNDO_PAGE=1 writes it', () => {
  const page = readFileSync(PAGE, 'utf8')
  if (process.env.SALLYPORT_WRITE_UNDO_PAGE) writeFileSync(PAGE, withReasons(page))
  else expect(page).toBe(withReasons(page))
})
