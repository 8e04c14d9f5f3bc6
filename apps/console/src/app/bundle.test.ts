// @vitest-environment node
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const dist = resolve(import.meta.dirname, '../../dist')
const gzip = (file: string) => gzipSync(readFileSync(resolve(dist, file))).length

/** The document and everything it names. */
function firstLoad(page: string): string[] {
  const html = readFileSync(resolve(dist, page), 'utf8')
  return [page, ...[...html.matchAll(/(?:src|href)="\/ui\/([^"]+)"/g)].map(([, file]) => file ?? '')]
}

test.skipIf(!existsSync(resolve(dist, 'index.html')))(
  'a cold load leaves room for pages and answers under 420 kB and 12 requests; the sign-in page stays small',
  () => {
    const console = firstLoad('index.html')
    const chinese = readdirSync(resolve(dist, 'static'))
      .filter((file) => /^cn-.*\.js$/.test(file))
      .map((file) => `static/${file}`)
    expect([...console, ...chinese].reduce((sum, file) => sum + gzip(file), 0)).toBeLessThan(380_000)
    // Besides these: the Chinese, and five answers of the server.
    expect(console.length).toBeLessThanOrEqual(6)
    expect(firstLoad('login.html').reduce((sum, file) => sum + gzip(file), 0)).toBeLessThan(110_000)
  },
)

test('inputs, forms and pickers of the library are in files that are loaded when they are drawn, never in the one that all pages share', () => {
  const src = resolve(import.meta.dirname, '..')
  const shared = globSync('{pages,generic,app,design,navigation}/**/*.{ts,tsx}', { cwd: src }).filter(
    (file) => !/(Body|-body|Panel|charts|Dialog|\.test)\.tsx?$|^generic\/(import|export|widgets)\//.test(file),
  )
  const heavy = /import \{[^}]*\b(Form|Input|InputNumber|Select|Checkbox|Radio|DatePicker|Tree|Upload|Table)\b[^}]*\} from 'antd'/
  expect(shared.filter((file) => heavy.test(readFileSync(resolve(src, file), 'utf8')))).toEqual([])
})
