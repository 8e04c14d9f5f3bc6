import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Context } from '../command.ts'
import { Failure } from '../exit.ts'
import { sayIn } from '../words.ts'
import { readFiles } from './files.ts'
import { withoutSecrets } from './secrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const context = { say: sayIn('en') } as Context
const path = (name: string) => join(folder, name)
const put = (name: string, text: string) => writeFileSync(path(name), text)

/** The refusal of a file, without the folder. */
function refusalOf(text: string): string {
  put('c.yaml', text)
  try {
    withoutSecrets(context, readFiles(context, [path('c.yaml')]))
    return ''
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.message.replaceAll(`${folder}/`, '')
  }
}

test('rows of many files and documents come together by their kind, each with its lines', () => {
  mkdirSync(path('company/more'), { recursive: true })
  put(
    'company/b.yaml',
    '# first\nlabels:\n  - name: env\n    value: prod\n---\nnodes: [/Web]\nlabels:\n- {name: a, value: b}\n',
  )
  put(
    'company/more/a.yml',
    'nodes:\n  - &x /Db\n  - *x\napplications:\n  - name: o\n    attrs:\n      host: h\n      port: 1\n',
  )
  put('company/c.json', '{"nodes": ["/Json"]}')
  put('company/notes.txt', 'labels: nothing')
  symlinkSync(path('company'), path('company/more/circle'))
  const rows = readFiles(context, [path('company')])
  const lines = [...rows].map(([kind, some]) => [
    kind,
    some.map(({ value, file, line }) => [value, file.slice(folder.length + 1), line()]),
  ])
  expect(lines).toEqual([
    [
      'labels',
      [
        [{ name: 'env', value: 'prod' }, 'company/b.yaml', 3],
        [{ name: 'a', value: 'b' }, 'company/b.yaml', 8],
      ],
    ],
    [
      'nodes',
      [
        ['/Web', 'company/b.yaml', 6],
        ['/Json', 'company/c.json', 1],
        ['/Db', 'company/more/a.yml', 2],
        ['/Db', 'company/more/a.yml', 3],
      ],
    ],
    ['applications', [[{ name: 'o', attrs: { host: 'h', port: 1 } }, 'company/more/a.yml', 5]]],
  ])
  expect(rows.get('applications')?.[0]?.line('attrs.port')).toBe(8)
  expect(rows.get('applications')?.[0]?.line('attrs.missing')).toBe(6)
})

test('files that are no rows, repeat too much, are too deep or too large are refused with their place', () => {
  expect(refusalOf('labels: [')).toMatch(/^c\.yaml:1: /)
  expect(refusalOf('- x')).toMatch(/^c\.yaml:1: A file has kinds/)
  expect(refusalOf('a: 1\nlabels: {name: x}')).toMatch(/^c\.yaml:1: A file has kinds/)
  expect(refusalOf('labels:\n  - name: x\n    name: y\n')).toMatch(/^c\.yaml:3: Map keys must be unique/)
  expect(refusalOf(`labels: ${'['.repeat(100_000)}`)).toMatch(/nested too deeply|^c\.yaml:1: /)
  const names = [...'abcdefgh']
  const bomb = names.map((name, at) => `${name}: &${name} [${Array(10).fill(at ? `*${names[at - 1]}` : 'x')}]`)
  expect(refusalOf(bomb.join('\n'))).toMatch(/nested too deeply, or repeats too much/)
  expect(refusalOf(`labels:\n${'  - {name: x, value: y}\n'.repeat(700_000)}`)).toMatch(/too large/)
  expect(refusalOf('')).toBe('')
  expect(refusalOf('labels:\nnodes: []\n')).toBe('')
})

test('a secret in a file is refused with its line, and one that is named is not sent', () => {
  expect(refusalOf('system_users:\n  - name: x\n    password: plain\n')).toMatch(/^c\.yaml:3: Say where the secret is/)
  expect(refusalOf('applications:\n  - attrs:\n      vmware_password: 7\n')).toMatch(/^c\.yaml:3: Say where/)
  expect(refusalOf('gateways:\n  - {name: x, private_key: {env: A, file: b}}\n')).toMatch(/Say where/)
  put(
    'c.yaml',
    'gateways:\n  - {name: x, private_key: {file: b}, password: {env: A}, passphrase: {prompt: true}, token: null}\n',
  )
  const unsent = { unsent: true }
  expect(withoutSecrets(context, readFiles(context, [path('c.yaml')]))).toEqual({
    gateways: [{ name: 'x', private_key: unsent, password: unsent, passphrase: unsent, token: null }],
  })
})
