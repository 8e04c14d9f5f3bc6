import type { WorkbenchEvent } from '@sallyport/contract/socket/workbench.ts'
import { expect, test } from 'vitest'
import { KeptAnswers } from './kept-answers.ts'

test('the messages of the newest run are kept, the beginning of very many rows, which says that it is one', () => {
  const kept = new KeptAnswers()
  const add = (event: WorkbenchEvent) => kept.add(event, JSON.stringify(event))
  const messages = () => kept.messages.map((text) => JSON.parse(text))
  kept.begin(1)
  add({ run: 1, statement: 0, event: 'said', kind: 'plain', text: 'old' })
  kept.begin(2)
  add({ run: 1, event: 'idle', database: 'shop', transaction: 'none' })
  const rows = { run: 2, statement: 0, event: 'rows', result: 1, rows: [['x'.repeat(3 * 1024 * 1024)]] } as const
  add({ ...rows, rows: [...rows.rows.map((row) => [...row])] })
  expect(kept.cut).toBeUndefined()
  add({ ...rows, rows: [...rows.rows.map((row) => [...row])] })
  add({ ...rows, rows: [['behind a gap']] })
  add({ run: 2, statement: 0, event: 'done', result: 1, rows: 2, words: '', isCut: false })
  add({ run: 2, statement: 1, event: 'done', result: 1, rows: 0, words: '', isCut: false })
  expect(kept.cut).toEqual({ statement: 0, result: 1 })
  expect(messages()).toMatchObject([
    { event: 'rows' },
    { event: 'done', statement: 0, isCut: true },
    { event: 'done', statement: 1, isCut: false },
  ])
})
