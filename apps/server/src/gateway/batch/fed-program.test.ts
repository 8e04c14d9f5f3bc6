import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fedProgram } from './fed-program.ts'

const below = mkdtempSync(join(tmpdir(), 'sallyport-fed-'))
afterAll(() => rmSync(below, { recursive: true, force: true }))

/** Output of a shell for a script with a file of which it gets so many bytes. */
async function ran(command: string, { bytes = Number.POSITIVE_INFINITY, path = process.env.PATH } = {}) {
  const folder = join(below, 'files')
  mkdirSync(folder)
  writeFileSync(join(folder, '1'), 'content')
  const secrets = new Map([['pw', "it's"]])
  const fed = fedProgram(
    { secrets, files: [{ step: 1, path: '/x', content: Buffer.from('content') }], folder },
    command,
  )
  const child: ChildProcess = spawn('/bin/sh', ['-c', String(fed.program.command)], { env: { PATH: path } })
  const output = { out: '', err: '' }
  child.stdout?.on('data', (text) => {
    output.out += text
  })
  child.stderr?.on('data', (text) => {
    output.err += text
  })
  child.stdin?.on('error', () => {})
  child.stdin?.end(fed.input.subarray(0, Math.min(bytes, fed.input.length)))
  const code = await new Promise<number>((resolve) => child.once('close', resolve))
  const isLeft = existsSync(folder)
  rmSync(folder, { recursive: true, force: true })
  return { code, out: output.out, isCut: fed.gotTooLittle(code, output.err), isLeft, length: fed.input.length }
}

test('a shell runs all of what it gets, with its exit code, and takes the folder of the files away', async () => {
  expect(await ran('cat "$sallyport_files/1"; echo " $pw 你好"; exit 7')).toMatchObject({
    code: 7,
    out: "content it's 你好\n",
    isCut: false,
    isLeft: false,
  })
  expect(await ran('echo a\\\n')).toMatchObject({ code: 0, out: 'a\n', isCut: false })
  expect((await ran('exit 125')).isCut).toBe(false)
})

test('a script that did not come whole is not run in part, and says so; nor is one where nothing can read it', async () => {
  const { length } = await ran('echo one\necho two')
  for (const bytes of [0, length - 40, length - 24, length - 1])
    expect([bytes, await ran('echo one\necho two', { bytes })]).toMatchObject([
      bytes,
      { code: 125, out: '', isCut: true, isLeft: false },
    ])
  symlinkSync('/bin/sh', join(below, 'sh'))
  expect(await ran('echo one', { path: below })).toMatchObject({ code: 125, out: '', isCut: true })
})
