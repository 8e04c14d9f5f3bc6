import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { promiseFaults } from './check-promises.mjs'

const OURS = `
declare function ask(): Promise<number>
declare function say(): void
declare function inBackground(work: Promise<unknown>): void
declare function awaitedLater<T>(work: Promise<T>): Promise<T>
declare function later(work: () => void): void
declare function eachInTurn(work: () => Promise<void> | void): void
`

/** Wrong and right code, with a name for each. */
const WRONG = {
  dropped: 'async function f() { ask() }',
  void: 'function f() { void ask() }',
  chained: 'function f() { ask().then(say) }',
  chosen: 'function f(x: boolean) { x && ask() }',
  'in an arrow': 'const f = () => void ask()',
  'behind another': 'async function f() { const one = ask(); await ask(); return one }',
  'list behind another':
    'async function f() { const all = [1, 2].map(() => ask()); await ask(); return Promise.all(all) }',
  'each in turn': 'async function f() { const one = ask(), two = ask(); await one; await two }',
  'left by return': 'async function f(x: boolean) { const one = ask(); if (x) return; await one; await ask() }',
  sometimes: 'async function f(x: boolean) { const one = ask(); if (x) await one; await ask() }',
  'parameter behind another': 'async function f(one: Promise<number>) { await ask(); return one }',
  kept: 'class F { one?: Promise<number>; f() { this.one = ask() } }',
  listed: 'function f(all: Promise<number>[]) { all.push(ask()) }',
  'in an object': 'const f = () => ({ one: ask() })',
  'for a timer': 'later(async () => { say() })',
  'for a timer in short': 'later(() => ask())',
  'for a timer by name': 'later(ask)',
}
const RIGHT = {
  awaited: 'async function f() { await ask() }',
  returned: 'const f = () => ask()',
  caught: 'function f() { ask().catch(say) }',
  'with both handlers': 'function f() { ask().then(say, say) }',
  'by the door': 'function f() { inBackground(ask().then(say)) }',
  'kept by the door': 'class F { one?: Promise<number>; f() { this.one = awaitedLater(ask()) } }',
  together: 'async function f() { const one = ask(), two = ask(); await Promise.all([one, two]) }',
  'next of all': 'async function f() { const one = ask(); say(); return await one }',
  'a resolve alone': 'const f = new Promise<void>((resolve) => later(resolve)); void f.then(say, say)',
  'for one who waits': 'eachInTurn(async () => { await ask() })',
  'looked at': 'const f = (one: number | Promise<number>) => one instanceof Promise',
  'of nothing': 'function f() { void say() }',
}

let folder
let faults

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-promises-'))
  const config = configFor('tsconfig.json', ['es2024'])
  writeFileSync(join(folder, 'ours.d.ts'), OURS)
  const all = { ...WRONG, ...RIGHT }
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, `${name}.ts`), `export {}\n${text}\n`)
  faults = promiseFaults(config, (path) => path.startsWith(folder) && !path.endsWith('.d.ts')).faults
})
/** Checks files in the folder, with these libraries. */
function configFor(name, lib) {
  const path = join(folder, name)
  const compilerOptions = { lib, types: [], strict: true, noEmit: true }
  writeFileSync(path, JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  return path
}

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const faultsIn = (name) => faults.filter((line) => line.includes(`/${name}.ts:2:`))

test.each(Object.keys(WRONG))('a promise that may fail unseen is found: %s', (name) => {
  expect(faultsIn(name)).not.toEqual([])
})

test.each(Object.keys(RIGHT))('a promise that somebody waits for is none: %s', (name) => {
  expect(faultsIn(name)).toEqual([])
})

test('globals of browsers are found, no matter which package brings them in', () => {
  expect(faults.filter((line) => line.includes('browsers'))).toEqual([])
  expect(promiseFaults(configFor('browser.json', ['es2024', 'dom']), () => false).faults).toEqual([
    expect.stringMatching(/browser\.json: a dependency brings in the globals of browsers/),
  ])
})
