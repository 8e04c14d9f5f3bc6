import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDataDirectory } from './data-lock.ts'

let directory: string
let lock: string
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'sallyport-lock-')), 'data')
  lock = join(directory, 'sallyport.lock')
})
afterEach(() => rmSync(join(directory, '..'), { recursive: true }))

/** Another process that takes the lock, says how that went, and stays until it is ended. */
async function lockElsewhere() {
  const code = `const { lockDataDirectory } = await import(${JSON.stringify(new URL('./data-lock.ts', import.meta.url).href)})
    try { lockDataDirectory(${JSON.stringify(directory)}); console.log('locked') } catch (error) { console.log(error.message) }
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await once(child.stdout, 'data')
  return {
    pid: child.pid,
    output: String(output).trim(),
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

test('the first start makes the directory and a private lock, and removes the lock when it stops', () => {
  const unlock = lockDataDirectory(directory)
  expect(readdirSync(directory)).toEqual(['sallyport.lock'])
  expect(statSync(lock).mode & 0o777).toBe(0o600)
  unlock()
  expect(readdirSync(directory)).toEqual([])
})

test('a second start names the process that runs, and leaves the lock alone', async () => {
  const other = await lockElsewhere()
  try {
    expect(other.output).toBe('locked')
    expect(() => lockDataDirectory(directory)).toThrow(`already runs on this data directory, as process ${other.pid}`)
    expect(readdirSync(directory)).toEqual(['sallyport.lock'])
  } finally {
    await other.kill()
  }
})

test('the lock of a killed process is taken over', async () => {
  const other = await lockElsewhere()
  await other.kill()
  expect(existsSync(lock)).toBe(true)
  lockDataDirectory(directory)()
})

test('a process that has only got the same number does not count, nor does a lock that was cut off', () => {
  lockDataDirectory(directory)()
  for (const content of [`${process.pid} other-boot:1\n`, '1 other-boot:1\n', '']) {
    writeFileSync(lock, content)
    lockDataDirectory(directory)()
  }
})

test('one of many that find a stale lock at once gets it', async () => {
  lockDataDirectory(directory)()
  writeFileSync(lock, '1 other-boot:1\n')
  const starts = await Promise.all(Array.from({ length: 4 }, lockElsewhere))
  try {
    expect(starts.filter(({ output }) => output === 'locked')).toHaveLength(1)
  } finally {
    await Promise.all(starts.map((start) => start.kill()))
  }
})

test('a copy of a directory on which Sallyport runs is another place: it is locked by itself', async () => {
  const other = await lockElsewhere()
  const copy = `${directory}-of-backup`
  try {
    cpSync(directory, copy, { recursive: true, preserveTimestamps: true })
    const unlock = lockDataDirectory(copy)
    expect(() => lockDataDirectory(directory)).toThrow(`as process ${other.pid}`)
    expect(() => lockDataDirectory(copy)).toThrow(`as process ${process.pid}`)
    unlock()
  } finally {
    await other.kill()
  }
})

test('a directory that cannot be made is named, with what to do', () => {
  const file = join(directory, '../a-file')
  writeFileSync(file, '')
  for (const place of [file, join(file, 'data'), '/proc/data'])
    expect(() => lockDataDirectory(place)).toThrow(
      new RegExp(`^The data directory ${place} cannot be made or written to \\(E[A-Z]+: .*SALLYPORT_DATA_DIR$`),
    )
})
