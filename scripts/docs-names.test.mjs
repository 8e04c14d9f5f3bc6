/** Pages, settings and calls exist under the names that the documents give them. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { SETTINGS } from '../apps/server/src/config-settings.ts'
import { SETTING_PREFIX } from '../apps/server/src/environment-settings.ts'
import { ALL_SETTINGS } from '../packages/contract/src/settings/index.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const textOf = (file) => readFileSync(root + file, 'utf8')
const pages = ['README.md', 'SECURITY.md', ...globSync('docs/*.md', { cwd: root })]
/** Lists of settings, and the pages that lean on them most. */
const NAMED_BARE = ['docs/hardening.md', 'docs/sizing.md', 'docs/controls.md']

/** Variables of Kubernetes and of compose files, and the one that names the file of settings. */
const NO_SETTINGS = new Set(['SALLYPORT_SERVICE_HOST', 'SALLYPORT_IMAGE', 'SALLYPORT_CONFIG_FILE'])
/** Menus of other products. */
const NOT_OURS = new Set(['Dashboards', 'New', 'Import', 'Basic Information', 'Signing Secret'])

/** Groups of an expression in some pages, each as `[page, text]`. */
const named = (expression, files = pages) =>
  files.flatMap((page) =>
    [...textOf(page).matchAll(expression)].map(([, found = '']) => [page, found.replace(/\s+/g, ' ')]),
  )
const without = (found, exists) => found.filter(([, name]) => !exists(name)).map(([page, name]) => `${page}: ${name}`)

test('every setting in the documents exists', () => {
  const ofServer = named(/\b(SALLYPORT_[A-Z0-9_]*[A-Z0-9])\b(?!…)/g)
  const ofConsole = named(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`/g, NAMED_BARE).filter(([, name]) => !/^SALLYPORT_/.test(name))
  expect([ofServer.length > 100, ofConsole.length > 40]).toEqual([true, true])
  const exists = (name) =>
    name in SETTINGS ||
    NO_SETTINGS.has(name) ||
    // The command line has a page with all of its own.
    name.startsWith('SALLYPORT_CLI_') ||
    (name.startsWith(SETTING_PREFIX) && name.slice(SETTING_PREFIX.length) in ALL_SETTINGS)
  expect(without(ofServer, exists)).toEqual([])
  expect(without(ofConsole, (name) => name in ALL_SETTINGS)).toEqual([])
})

test('every call in the documents is one of the API, with its method', () => {
  const calls = textOf('apps/server/test/walks/access.golden')
    .split('\n')
    .flatMap((line) => {
      const [, path, methods = ''] = /^(\S+) ([A-Z ]+): /.exec(line) ?? []
      return path ? methods.split(' ').map((method) => `${method} ${path}`.replace(/:\w+/g, '*')) : []
    })
  const known = new Set(calls)
  const found = named(/`((?:GET|POST|PUT|PATCH|DELETE) \/api\/v1\/[^`\s]*?\/)(?:\?[^`]*)?`/g)
  expect(found.length).toBeGreaterThan(40)
  expect(without(found, (call) => known.has(call.replace(/:\w+|\{\w+\}|<\w+>/g, '*')))).toEqual([])
})

test('every page that the documents lead to has that name in the console', () => {
  const catalogs = globSync(['apps/console/src/locales/cn/**/*.json', 'packages/contract/src/locales/cn/*.json'], {
    cwd: root,
  })
  const texts = new Set(
    catalogs.flatMap((file) => Object.keys(JSON.parse(textOf(file))).map((text) => text.replace(/@@.*$/, ''))),
  )
  const found = named(/(?<![*\w])\*([A-Z][^*`[\]()]*?→[^*`[\]()]*?)\*(?!\*)/g).flatMap(([page, way]) =>
    way.split('→').map((part) => [page, part.trim()]),
  )
  expect(found.length).toBeGreaterThan(80)
  expect(without(found, (name) => texts.has(name) || NOT_OURS.has(name))).toEqual([])
})
