// @vitest-environment node
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parse, type Rule } from 'postcss'
import { expect, test } from 'vitest'

const src = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(resolve(src, file), 'utf8')
const sheets = globSync('**/*.css', { cwd: src }).sort()
const isModule = (file: string) => file.endsWith('.module.css')
const code = globSync('**/*.{ts,tsx}', { cwd: src, exclude: (file) => /\.test\./.test(file) })

const CLASS = /\.([a-z_][\w-]*)/gi

/** Selectors of a sheet, each with the classes that are its own. */
function selectors(file: string): { selector: string; own: string[] }[] {
  const found: { selector: string; own: string[] }[] = []
  parse(read(file)).walkRules((rule: Rule) => {
    if (rule.parent?.type === 'atrule' && /keyframes$/.test((rule.parent as { name?: string }).name ?? '')) return
    for (const selector of rule.selectors)
      found.push({
        selector,
        own: [...selector.replace(/:global\([^)]*\)|"[^"]*"/g, '').matchAll(CLASS)].map(([, name]) => name ?? ''),
      })
  })
  return found
}
const classesOf = (file: string) => new Set(selectors(file).flatMap(({ own }) => own))

/** What `styles.box` asks of which module. */
const asked = code.flatMap((file) =>
  [...read(file).matchAll(/^import (\w+) from '([^']+\.module\.css)'/gm)].flatMap(([, name, path]) =>
    [...read(file).matchAll(new RegExp(`(?<![\\w/'.-])${name}\\.(?!module|tsx?')(\\w+)`, 'g'))].map(([, part]) => ({
      file,
      sheet: join(dirname(file), path ?? ''),
      part: part ?? '',
    })),
  ),
)

test('pages have styles of their own, which reach no other page: only these sheets are for all', () => {
  const shared = sheets.filter((file) => !isModule(file))
  const beyondOwnDocuments = shared.filter((file) => !/^(terminal|login)\//.test(file))
  expect(beyondOwnDocuments.filter((file) => !/^(design|generic)\//.test(file))).toEqual([
    'app/app.css',
    'app/shell/frame.css',
    'app/shell/menu.css',
    'app/shell/narrow.css',
    'app/shell/open-tabs.css',
    'app/shell/starting.css',
    'navigation/page.css',
    'pages/pages.css',
  ])
})

test('each rule of a module begins at a class of its own', () => {
  const reaching = sheets
    .filter(isModule)
    .flatMap((file) => selectors(file).flatMap(({ selector, own }) => (own.length ? [] : [`${file}: ${selector}`])))
  expect(reaching).toEqual([])
})

test('what holds for elements everywhere is in a layer: styles of a part win, in whatever order they are loaded', () => {
  const loose = sheets
    .filter((file) => !isModule(file) && !/(tokens|ground|print|font)\.css$/.test(file))
    // These are documents of their own.
    .filter((file) => !/^(login|terminal)\//.test(file))
    .flatMap((file) => {
      const found: string[] = []
      parse(read(file)).walkRules((rule: Rule) => {
        const around = (rule.parent as { name?: string }).name ?? ''
        if (/keyframes$|^layer$/.test(around)) return
        found.push(...rule.selectors.filter((one) => !/[.#[]|^main\b/.test(one)).map((one) => `${file}: ${one}`))
      })
      return found
    })
  expect(loose).toEqual([])
})

test('a part finds each class that it asks its styles for', () => {
  expect(asked.length).toBeGreaterThan(300)
  const missing = asked.filter(({ sheet, part }) => !classesOf(sheet).has(part))
  expect(missing).toEqual([])
})

test('plain names of classes in pages are those of the shared sheets', () => {
  const shared = new Set(sheets.filter((file) => !isModule(file)).flatMap((file) => [...classesOf(file)]))
  const unknown = code
    .filter((file) => file.startsWith('pages/'))
    .flatMap((file) =>
      [...read(file).matchAll(/className=(?:"([^"]*)"|\{`([^`]*)`\})/g)]
        .flatMap(([, text = '', template = '']) => `${text} ${template.replace(/\$\{[^}]*\}/g, ' ')}`.split(/\s+/))
        .filter((name) => name && !shared.has(name))
        .map((name) => `${file}: ${name}`),
    )
  expect(unknown).toEqual([])
})
