import { createCipheriv } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { enteredKeys, readKeys } from './read-keys.ts'

const folder = mkdtempSync(join(tmpdir(), 'jumpserver-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileOf(content: string | Buffer, name = 'config.txt') {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

test('config.txt: the key and the other settings, without comments and quotes', async () => {
  const file = fileOf(
    '\uFEFF# JumpServer\r\nSECRET_KEY=abc=def/+x==\r\nDB_HOST=mysql\nDB_PASSWORD="a b"\nexport DB_PORT=3306 # usual\n#DB_NAME=x\n',
  )
  const { keys, settings } = await readKeys(file)
  expect(keys).toEqual(['abc=def/+x=='])
  expect(Object.fromEntries(settings)).toEqual({
    SECRET_KEY: 'abc=def/+x==',
    DB_HOST: 'mysql',
    DB_PASSWORD: 'a b',
    DB_PORT: '3306',
  })
})

test('a key in quotes is tried without them and with them, as engines differ', async () => {
  expect((await readKeys(fileOf("SECRET_KEY='x y#z'\n"))).keys).toEqual(['x y#z', "'x y#z'"])
  expect((await readKeys(fileOf('SECRET_KEY=first\nSECRET_KEY=abc #d\n'))).keys).toEqual(['abc', 'abc #d'])
})

test('config.yml: quoted, plain, of digits, beside nested settings', async () => {
  const yaml = (key: string) => fileOf(`# c\nSECRET_KEY: ${key}\nDB_PORT: 3306\nX:\n  - 1\nEMPTY:\n`, 'config.yml')
  for (const [written, key] of [
    ['"a\\"b: #c"', 'a"b: #c'],
    ["'it''s'", "it's"],
    ['0123456789', '0123456789'],
    ['abc=def', 'abc=def'],
  ] as const)
    expect((await readKeys(yaml(written))).keys).toEqual([key])
  expect((await readKeys(yaml('a'))).settings.get('DB_PORT')).toBe('3306')
})

test('a file with nothing but the key is one', async () => {
  expect((await readKeys(fileOf('\nvery:secret=key\n\n'))).keys).toEqual(['very:secret=key'])
})

test('encrypted settings are opened by SECRET_ENCRYPT_KEY; one that is not encrypted stays as it is', async () => {
  const sealed = (text: string) => {
    const cipher = createCipheriv('sm4-ecb', Buffer.concat([Buffer.from('opener'), Buffer.alloc(10)]), null)
    return Buffer.concat([cipher.update(text), cipher.final()])
      .toString('base64url')
      .padEnd(24, '=')
  }
  const file = fileOf(`SECRET_KEY=${sealed('the key')}\nDB_PASSWORD=${sealed('the word')}\nREDIS_PASSWORD=plain\n`)
  const { keys, settings } = await readKeys(file, 'opener')
  expect([keys[0], settings.get('DB_PASSWORD'), settings.get('REDIS_PASSWORD')]).toEqual([
    'the key',
    'the word',
    'plain',
  ])
  // Under another one the value is taken as it is, as JumpServer does.
  expect((await readKeys(file, 'another')).keys).toEqual([sealed('the key')])
})

test('a file that has no key, cannot be read or is something else ends in words', async () => {
  const refusal = (file: string) =>
    readKeys(file).then(
      () => 'taken',
      (reason: Error) => reason.message,
    )
  expect(await refusal(fileOf('DB_HOST=x\n'))).toMatch(/has no SECRET_KEY$/)
  expect(await refusal(fileOf('SECRET_KEY=\n'))).toMatch(/has no SECRET_KEY$/)
  expect(await refusal(fileOf('two\nlines\n'))).toMatch(/has no SECRET_KEY$/)
  expect(await refusal(fileOf(''))).toMatch(/has no SECRET_KEY$/)
  expect(await refusal(join(folder, 'absent'))).toMatch(/cannot be read: ENOENT$/)
  expect(await refusal(folder)).toMatch(/is no file$/)
  for (const content of [Buffer.alloc(300_000, 'a'), Buffer.from([0xff, 0xfe]), 'SECRET_KEY=a\0b'])
    expect(await refusal(fileOf(content))).toMatch(/is no configuration of JumpServer$/)
  expect(await refusal(fileOf('SECRET_KEY: "open\nX: 1\n'))).toMatch(/is no YAML: /)
  const bomb = `a: &a [x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: [*a, *a, *a]`).join('\n')}\n`
  expect(await refusal(fileOf(bomb))).toMatch(/has no SECRET_KEY$/)
})

test('a key that is entered is taken as it is, and a configuration that is pasted is read', () => {
  expect(enteredKeys(' AB=c#d "e \n')).toEqual(['AB=c#d "e'])
  expect(enteredKeys('SECRET_KEY=abc')).toEqual(['abc'])
  expect(enteredKeys('DB_HOST=db\r\nSECRET_KEY="a b"\r\n')).toEqual(['a b', '"a b"'])
  expect(enteredKeys('SECRET_KEY: "123"\nDB_HOST: db\n')).toEqual(['123'])
  expect(() => enteredKeys('DB_HOST=db\nDB_PORT=1\n')).toThrow('has no SECRET_KEY')
})
