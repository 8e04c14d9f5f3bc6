// @vitest-environment node
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { routesOf } from '../../page-routes.ts'

const src = resolve(import.meta.dirname, '..')

/**
 * `t('…')` and `msg('…')` with a literal text, in single quotes, double quotes or backticks. Both
 * branches of `t(a ? 'x' : 'y')` are read too.
 */
const CALL =
  /\b(?:t|msg)\(\s*((?:[^()'"`]*\?\s*)?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:\s*:\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))?)/g
const LITERAL = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g

function textsIn(source: string): string[] {
  return [...source.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(CALL)].flatMap(([, args = '']) =>
    [...args.replace(/^[^?'"]*\?/, '').matchAll(LITERAL)].map(([, single, double]) =>
      (single ?? double ?? '').replace(/\\(.)/g, '$1'),
    ),
  )
}

const sources = globSync('**/*.{ts,tsx}', { cwd: src }).filter((file) => !/\.test\.tsx?$/.test(file))
const used = new Map<string, string>()
for (const file of sources) for (const text of textsIn(readFileSync(resolve(src, file), 'utf8'))) used.set(text, file)

const areas = globSync('cn/**/*.json', { cwd: import.meta.dirname }).map((file) => ({
  name: file.slice('cn/'.length, -'.json'.length),
  entries: JSON.parse(readFileSync(resolve(import.meta.dirname, file), 'utf8')) as Record<string, string>,
}))
/** These have a catalog each, beside that of the console. */
const APART = ['terminal', 'files', 'login']

const translated = new Map(areas.flatMap(({ entries }) => Object.entries(entries)))

test('the scan finds texts and declared titles, and both branches of a choice', () => {
  expect(textsIn(`t('A') msg('B\\'s') t(one ? 'C' : 'D', { count }) t(name) format('E')`)).toEqual([
    'A',
    "B's",
    'C',
    'D',
  ])
})

test('[A1.17 A1.19 B9.30] every text of the console has its Chinese', () => {
  expect([...used].filter(([text]) => !translated.has(text)).map(([text, file]) => `${file}: ${text}`)).toEqual([])
})

test('no Chinese text is left that nothing shows', () => {
  expect([...translated.keys()].filter((text) => !used.has(text))).toEqual([])
})

test('no text has two different translations, and placeholders are the same in both languages', () => {
  const doubled = areas.flatMap(({ name, entries }, at) =>
    Object.keys(entries).flatMap((text) =>
      areas
        .slice(at + 1)
        .flatMap((other) =>
          other.entries[text] !== undefined && other.entries[text] !== entries[text]
            ? [`${text}: ${name} and ${other.name}`]
            : [],
        ),
    ),
  )
  const placeholders = (text: string) => [...text.matchAll(/\{\{(\w+)/g)].map(([, name]) => name).sort()
  const differing = [...translated]
    .filter(([text, chinese]) => placeholders(text).join() !== placeholders(chinese).join())
    .map(([text]) => text)
  expect({ doubled, differing }).toEqual({ doubled: [], differing: [] })
})

/** These files and everything that they import, now or later. */
function reached(files: readonly string[]): string[] {
  const found = new Set<string>()
  const open = [...files]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file) || !/\.tsx?$/.test(file) || !existsSync(resolve(src, file))) continue
    found.add(file)
    const imports = readFileSync(resolve(src, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
    for (const [, specifier = ''] of imports) open.push(join(dirname(file), specifier))
  }
  return [...found]
}

const textsOf = (files: readonly string[]) =>
  new Set(files.flatMap((file) => textsIn(readFileSync(resolve(src, file), 'utf8'))))
const pageFiles = globSync('pages/*/*.page.tsx', { cwd: src })
const isOf = (domain: string) => (file: string) => file.startsWith(`pages/${domain}/`)
const domains = [...new Set(pageFiles.map((file) => file.split('/')[1] ?? ''))]
const shared = new Set(
  areas
    .filter(({ name }) => !name.includes('/') && !APART.includes(name))
    .flatMap(({ entries }) => Object.keys(entries)),
)

test('[A1.19 B9.30] the words of the shell before any page is there have their Chinese from the start, with the titles of all pages', () => {
  const titles = pageFiles.flatMap((file) => textsIn(routesOf(readFileSync(resolve(src, file), 'utf8'), file)))
  expect([...textsOf(reached(['app/main.tsx'])), ...titles].filter((text) => !shared.has(text))).toEqual([])
})

test.each(domains)(
  '[A1.19 B9.30] the catalog of %s holds what its pages show beside that, and nothing else',
  (domain) => {
    const own = Object.keys(areas.find(({ name }) => name === `pages/${domain}`)?.entries ?? {})
    const shown = textsOf(reached(pageFiles.filter(isOf(domain))))
    expect({
      missing: [...shown].filter((text) => !shared.has(text) && !own.includes(text)),
      unused: own.filter((text) => shared.has(text) || !shown.has(text)),
    }).toEqual({ missing: [], unused: [] })
  },
)
