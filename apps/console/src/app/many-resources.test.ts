// @vitest-environment node
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { afterAll, expect, test, vi } from 'vitest'

const DOMAINS = 6
const RESOURCES = 10
/**
 * The cost of the menu entries, addresses and Chinese titles of sixty resources at the start.
 * Bytes, gzip.
 */
const ROOM = 8_000

const source = resolve(import.meta.dirname, '../..')
// Inside the console, so that its packages are found.
const results = resolve(source, 'test-results')
mkdirSync(results, { recursive: true })
const copy = resolve(mkdtempSync(resolve(results, 'many-resources-')), 'console')
for (const entry of readdirSync(source))
  if (!/^(node_modules|dist|test-results)$/.test(entry))
    cpSync(resolve(source, entry), resolve(copy, entry), { recursive: true })
afterAll(() => rmSync(resolve(copy, '..'), { recursive: true }))

function addResource(domain: string, name: string): Record<string, string> {
  const folder = resolve(copy, 'src/pages', domain)
  const fields = Array.from(
    { length: 8 },
    (_, n) => `field_${n}: { type: 'string', label: '${name} field ${n}', maxLength: ${n + 10} },`,
  )
  writeFileSync(
    resolve(folder, `${name}.page.tsx`),
    `import { defineResource } from '@sallyport/contract/define.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
export const routes = resourcePlaces('${name}', { menu: 'assets', path: '/assets/${name}', titles: { List: msg('${name} list'), Create: msg('${name} create'), Update: msg('${name} update'), Detail: msg('${name} detail') } })
const definition = defineResource({ name: '${name}', path: '/api/v1/${domain}/${name}/', label: '${name}', scope: 'org', operations: [], permission: { list: ['org_admin'], write: ['org_admin'] }, display: '{field_0}', fields: { id: { type: 'uuid', label: 'ID' }, ${fields.join(' ')} }, mini: ['id'], search: [], filters: [], ordering: '*', defaultOrder: ['field_0'] })
export const pages = { ${name}: definePages(definition, { list: { columns: ['field_0', 'field_1'] }, form: { groups: [{ title: msg('${name} facts'), fields: ['field_0', 'field_1', 'field_2'] }] }, detail: { fields: ['field_0'] } }) }
`,
  )
  return Object.fromEntries(
    ['list', 'create', 'update', 'detail'].map((page) => [`${name} ${page}`, `${name}的${page}`]),
  )
}

function addDomain(domain: string): Record<string, string> {
  mkdirSync(resolve(copy, 'src/pages', domain))
  cpSync(resolve(copy, 'src/pages/assets/index.ts'), resolve(copy, 'src/pages', domain, 'index.ts'))
  const names = Array.from({ length: RESOURCES }, (_, n) => `${domain.toUpperCase()}Thing${n}`)
  const facts = Object.fromEntries(names.map((name) => [`${name} facts`, `${name}的资料`]))
  writeFileSync(resolve(copy, `src/locales/cn/pages/${domain}.json`), JSON.stringify(facts))
  return Object.assign({}, ...names.map((name) => addResource(domain, name)))
}

/** Bytes that a browser fetches until the start page is shown, in Chinese, by gzip. */
async function firstLoad(): Promise<number> {
  const built = (await build({
    root: copy,
    configFile: resolve(copy, 'vite.config.ts'),
    logLevel: 'silent',
    build: { write: false, rolldownOptions: { checks: { pluginTimings: false } } },
  })) as Rolldown.RolldownOutput
  const files = new Map(built.output.map((file) => [file.fileName, file]))
  const found = new Set<string>()
  const visit = (name: string) => {
    if (found.has(name)) return
    found.add(name)
    const file = files.get(name)
    if (file?.type === 'chunk') file.imports.forEach(visit)
  }
  const chunks = built.output.filter((file) => file.type === 'chunk')
  for (const wanted of ['start', 'pages-dashboard', 'cn']) {
    const chunk = chunks.find(({ name }) => name === wanted)
    expect([wanted, chunk !== undefined]).toEqual([wanted, true])
    visit(chunk?.fileName ?? '')
  }
  visit('index.html')
  return [...found].reduce((sum, name) => {
    const file = files.get(name)
    return sum + gzipSync((file?.type === 'chunk' ? file.code : file?.source) ?? '').length
  }, 0)
}

test('sixty more resources leave the first load as it is, but for their places in the menu', {
  timeout: 300_000,
}, async () => {
  // The libraries as they are delivered, not as they are tested with.
  vi.stubEnv('NODE_ENV', 'production')
  const before = await firstLoad()
  const shell = resolve(copy, 'src/locales/cn/shell.json')
  const titles = Array.from({ length: DOMAINS }, (_, n) => addDomain(`madeup${String.fromCharCode(97 + n)}`))
  writeFileSync(shell, JSON.stringify(Object.assign(JSON.parse(readFileSync(shell, 'utf8')), ...titles)))
  const after = await firstLoad()
  expect(after).toBeLessThan(300_000)
  expect(after - before).toBeLessThan(ROOM)
  // They are there: their titles came along.
  expect(after - before).toBeGreaterThan(500)
})
