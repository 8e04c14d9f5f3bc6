import type { WorkbenchEvent } from '@sallyport/contract/socket/workbench.ts'
import { expect, test } from 'vitest'
import type { Link } from '../repl/link.ts'
import type { ResultSink } from '../repl/output/result.ts'
import { WORKBENCH_DATABASES, type WorkbenchDatabase } from './databases.ts'
import { KeptRows } from './kept-rows.ts'
import { Workbench } from './workbench.ts'

test('a statement behind a file runs once the page has taken the file', async () => {
  const events: WorkbenchEvent[] = []
  const link = {
    wire: { place: { database: 'shop' } },
    async run(_text: string, sink: ResultSink) {
      sink.columns([{ name: 'n', isNumber: true }])
      sink.done({ words: '', rows: 0 })
    },
    pause() {},
    resume() {},
  }
  const database = {
    ...(WORKBENCH_DATABASES.get('postgresql') as WorkbenchDatabase),
    transaction: () => 'none' as const,
  }
  // As a socket does: the first caller that was asked to wait is called back.
  let whenDrained: (() => void) | undefined
  const workbench = new Workbench({
    database,
    link: link as unknown as Link,
    kept: new KeptRows({ directory: '', limit: 0, space: { claim: () => false, release() {} } }),
    show: (event) => void events.push(event),
    send(_bytes, drained) {
      whenDrained ??= drained
      return false
    },
    mayEdit: async () => true,
    say: (words) => words,
    passage: { begins: () => undefined, forbidden() {}, over() {} },
    elapsed: () => 0,
  })
  const isIdle = (run: number) => events.some((one) => one.run === run && one.event === 'idle')
  workbench.export({ run: 1, text: 'select n', format: 'csv' })
  workbench.run({ run: 2, text: 'select n' })
  await expect.poll(() => events.some((one) => one.run === 2 && one.event === 'over')).toBe(true)
  expect([isIdle(1), isIdle(2)]).toEqual([true, false])
  whenDrained?.()
  await expect.poll(() => isIdle(2)).toBe(true)
})
