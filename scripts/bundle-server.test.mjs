/** The bundled server, as `buildServer` makes it: what it starts like is tried by the tests of installations. */
import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { inSources } from '../apps/server/src/kernel/errors/source-places.ts'
import { BUNDLED_SERVER, buildServer, ROOT } from './prepare.mjs'

let files
beforeAll(() => {
  expect(buildServer(process.execPath)).toBe(true)
  files = globSync(join(BUNDLED_SERVER, '*.js')).map((path) => ({
    path,
    lines: readFileSync(path, 'utf8').split('\n'),
  }))
})

/** A line of a stack, with the place in the bundle that begins so. */
function stackLine(words) {
  const [{ path, line }] = files.flatMap(({ path, lines }) => {
    const line = lines.findIndex((text) => text.trimStart().startsWith(words))
    return line < 0 ? [] : [{ path, line }]
  })
  return `    at somewhere (${pathToFileURL(path)}:${line + 1}:7)`
}

function sourceLine(path, words) {
  const file = join(ROOT, path)
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((text) => text.trimStart().startsWith(words))
  return `    at somewhere (${pathToFileURL(file)}:${line + 1})`
}

test('a place in the stack of an error is shown as the line of the source that was bundled', () => {
  const server = 'apps/server/src/server.ts'
  expect(inSources(stackLine('async function openServer('))).toBe(
    sourceLine(server, 'export async function openServer('),
  )
  expect(inSources(stackLine('await checkKeys(pool, keys)'))).toBe(sourceLine(server, 'await checkKeys(pool, keys)'))
})

test('places in packages and in other files stay as they are', () => {
  const others = [
    '    at node:internal/process:1:2',
    `    at x (${pathToFileURL(ROOT)}/apps/console/dist/server.js:90:2)`,
  ]
  const places = [...others, stackLine('var DrizzleQueryError = class')]
  expect(places.map((place) => inSources(place))).toEqual(places)
})

test('resources and checks that are found by their names are in the bundle, and packages for one processor are not', () => {
  const found = globSync(['domains/**/*.resource.ts', '{kernel,domains,gateway}/**/*.check.ts'], {
    cwd: join(ROOT, 'apps/server/src'),
  })
  const places = JSON.parse(readFileSync(join(BUNDLED_SERVER, 'places.json'), 'utf8'))
  const sources = new Set(Object.values(places).flatMap((one) => one.sources))
  expect(found.length).toBeGreaterThan(50)
  expect(found.filter((path) => !sources.has(`../src/${path}`))).toEqual([])
  const imported = files.flatMap(({ lines }) =>
    lines.flatMap((line) => /^import .*"(@?\w[^":]*)"/.exec(line)?.[1] ?? []),
  )
  expect(new Set(imported.filter((name) => !isBuiltin(name)))).toEqual(new Set(['@node-rs/argon2', 'fastify']))
})
