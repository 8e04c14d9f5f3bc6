import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'

const PAUSES = 80
/** Longer than a rule may take (`guarded.ts`). */
const PAUSE_MS = 60

test('a text is denied also where the process is paused while its rules are tried', async () => {
  const child = spawn(process.execPath, [`${import.meta.dirname}/judging-fixture.ts`])
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('begun')
  for (let n = 0; n < PAUSES; n++) {
    child.kill('SIGSTOP')
    await setTimeout(PAUSE_MS)
    child.kill('SIGCONT')
    // At another moment of its work each time.
    await setTimeout(1 + (n % 7))
  }
  child.kill('SIGTERM')
  const { judged, allowed } = JSON.parse(String((await lines.next()).value))
  await once(child, 'close')
  expect(allowed).toBe(0)
  expect(judged).toBeGreaterThan(PAUSES)
})
