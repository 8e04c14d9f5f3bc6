/**
 * Runs before each test file when the cost of the suite is measured: writes a line of JSON with the
 * processor's time that the file took, in its worker and in what the worker started, and with the
 * pieces of work that were marked by `performance.measure` (`apps/server/test/measured.ts`).
 */
import { appendFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { afterAll, expect } from 'vitest'
import { childrenSeconds } from './processor-time.mjs'

/** What earlier files of this worker have taken; a new worker's start is its first file's. */
const before = globalThis.costBefore ?? { own: 0, children: 0 }
watchPasswords()

afterAll(() => {
  const now = { own: ownSeconds(), children: childrenSeconds() }
  globalThis.costBefore = now
  const line = {
    file: expect.getState().testPath,
    own: now.own - before.own,
    // A child that was killed and not waited for is gone with its time.
    children: Math.max(0, now.children - before.children),
    work: takeMeasured(),
  }
  appendFileSync(process.env.TEST_COST_FILE, `${JSON.stringify(line)}\n`)
})

function ownSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** `{kind: {times, ms}}` since the last file. */
function takeMeasured() {
  const work = {}
  for (const { name, duration } of performance.getEntriesByType('measure')) {
    work[name] ??= { times: 0, ms: 0 }
    work[name].times++
    work[name].ms += duration
  }
  performance.clearMeasures()
  return work
}

/** The product does not mark its own work for tests: the library is watched in its place. */
function watchPasswords() {
  if (globalThis.costWatches) return
  globalThis.costWatches = true
  const argon2 = createRequire(join(import.meta.dirname, '../../apps/server/package.json'))('@node-rs/argon2')
  for (const name of ['hash', 'verify']) {
    const original = argon2[name]
    argon2[name] = async (...parameters) => {
      const start = performance.now()
      try {
        return await original(...parameters)
      } finally {
        performance.measure('passwords', { start, end: performance.now() })
      }
    }
  }
}
