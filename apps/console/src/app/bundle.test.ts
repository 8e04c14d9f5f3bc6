// @vitest-environment node
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const dist = resolve(import.meta.dirname, '../../dist')
const src = resolve(import.meta.dirname, '..')
const isBuilt = existsSync(resolve(dist, 'index.html'))
const built = isBuilt ? readdirSync(resolve(dist, 'static')).map((file) => `static/${file}`) : []
const sizeOf = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(resolve(dist, file))).length, 0)

/** The document and everything it names. */
function firstLoad(page: string): string[] {
  const html = readFileSync(resolve(dist, page), 'utf8')
  const fetched = html.replace(/<link[^>]* disabled>/g, '')
  return [page, ...[...fetched.matchAll(/(?:src|href)="\/ui\/([^"]+)"/g)].map(([, file]) => file ?? '')]
}

/** A chunk and all that it imports at once. */
function withImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, name] of readFileSync(resolve(dist, file), 'utf8').matchAll(/(?:from|import)"\.\/([^"]+)"/g))
    withImports(`static/${name}`, found)
  return found
}

const chunks = (name: RegExp) => built.filter((file) => name.test(file))

test.skipIf(!isBuilt)(
  'a cold load of any list is at most 300 kB in 6 files, in Chinese too; a create page is 2 more; the sign-in page stays small',
  () => {
    const start = firstLoad('index.html')
    const chinese = chunks(/\/cn-[^.]*\.js$/).flatMap((file) => [...withImports(file)])
    const domains = chunks(/\/pages-[a-z]+-[^.]*\.js$/)
    expect(domains.length).toBeGreaterThan(10)
    for (const domain of domains) {
      const page = new Set([...start, ...withImports(domain)])
      expect([domain, sizeOf(new Set([...page, ...chinese])) < 300_000]).toEqual([domain, true])
      // Besides these: the styles of the domain, and six or seven answers of the server.
      expect([domain, page.size <= 6]).toEqual([domain, true])
    }
    const [assets = ''] = domains.filter((file) => /pages-assets-/.test(file))
    const form = chunks(/\/FormPage-[^.]*\.js$/).flatMap((file) => [...withImports(file)])
    const page = new Set([...start, ...withImports(assets), ...form])
    expect(page.size).toBeLessThanOrEqual(8)
    expect(sizeOf(page)).toBeLessThan(290_000)
    expect(sizeOf(firstLoad('login.html'))).toBeLessThan(118_000)
  },
)

test.skipIf(!isBuilt)('the list of assets starts with as much as other lists, its tree included', () => {
  const fetchedWith = (domain: string) =>
    sizeOf(
      new Set([
        ...firstLoad('index.html'),
        ...chunks(new RegExp(`/pages-${domain}-[^.]*\\.js$`)).flatMap((file) => [...withImports(file)]),
      ]),
    )
  expect(fetchedWith('assets')).toBeLessThan(fetchedWith('users') + 20_000)
  // Drawn with the list: nothing of it is asked for later.
  const tree = neededAtOnce(['pages/assets/asset.page.tsx']).filter((file) => file.startsWith('generic/tree/'))
  expect(tree).toContain('generic/tree/Tree.tsx')
})

test.skipIf(!isBuilt)('the styles that are in a document are named there, so that no page waits for them again', () => {
  for (const page of ['index.html', 'luna.html', 'login.html']) {
    const html = readFileSync(resolve(dist, page), 'utf8')
    const links = html.match(/<link rel="stylesheet"[^>]*>/g) ?? []
    expect([page, links.length > 0]).toEqual([page, true])
    for (const link of links) expect(link).toMatch(/ disabled>$/)
  }
})

test.skipIf(!isBuilt)('web terminal and sign-in page fetch nothing of the console, neither at once nor later', () => {
  const fetched = new Set<string>()
  const open = ['luna.html', 'login.html'].flatMap(firstLoad).filter((file) => file.endsWith('.js'))
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (fetched.has(file)) continue
    fetched.add(file)
    for (const [, name] of readFileSync(resolve(dist, file), 'utf8').matchAll(
      /["`'](?:\.\/|static\/)([\w-]+\.js)["`']/g,
    ))
      open.push(`static/${name}`)
  }
  expect(fetched.size).toBeGreaterThan(15)
  expect([...fetched].filter((file) => /\/(start|pages)-/.test(file))).toEqual([])
})

test.skipIf(!isBuilt)(
  'no document waits for the font: two files of Latin letters are fetched when a page stands',
  () => {
    const fonts = built.filter((file) => file.endsWith('.woff2'))
    expect(fonts.map((file) => file.replace(/-[^-]*$/, '')).sort()).toEqual([
      'static/inter-latin-ext-wght-normal',
      'static/inter-latin-wght-normal',
    ])
    expect(fonts.reduce((sum, file) => sum + readFileSync(resolve(dist, file)).length, 0)).toBeLessThan(140_000)
    for (const page of ['index.html', 'luna.html', 'login.html']) {
      expect([page, firstLoad(page).filter((file) => /woff/.test(file))]).toEqual([page, []])
      // Named by the styles alone, which fetch it for text that asks for it.
      expect(readFileSync(resolve(dist, page), 'utf8')).toMatch(
        /@font-face\{[^}]*\/ui\/static\/inter-latin-wght-normal-/,
      )
    }
  },
)

test.skipIf(!isBuilt)('the gallery of controls is in no build', () => {
  const scripts = built.filter((file) => file.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(30)
  // A title of it: names of components are shortened.
  const isGallery = (file: string) => /gallery|DateRangePicker/i.test(file + readFileSync(resolve(dist, file), 'utf8'))
  expect(scripts.filter(isGallery)).toEqual([])
})

/**
 * What these files need before anything is drawn: their imports, and what those import, but for
 * what is imported lazily.
 */
function neededAtOnce(files: readonly string[]): string[] {
  const found = new Set<string>()
  const open = [...files]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file) || !/\.tsx?$/.test(file)) continue
    found.add(file)
    for (const [, specifier = ''] of readFileSync(resolve(src, file), 'utf8').matchAll(
      /^(?:import|export) (?!type)[^'"]*from '(\.[^']+)'/gm,
    ))
      open.push(join(dirname(file), specifier))
  }
  return [...found]
}
