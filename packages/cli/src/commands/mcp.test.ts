import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../../bin/sallyport.js', import.meta.url))

test('a line that is no message is answered as one, and the next one is read', async () => {
  const { PATH = '' } = process.env
  const env = { PATH, LC_ALL: 'C', SALLYPORT_CLI_URL: 'https://gate.test', SALLYPORT_CLI_TOKEN: 'token' }
  const running = promisify(execFile)(process.execPath, [PROGRAM, 'mcp'], { env })
  running.child.stdin?.end('null\n[]\n3\n{\n')
  const lines = (await running).stdout.trim().split('\n')
  const invalid = { code: -32600, message: 'The message is no JSON object' }
  expect(lines.map((line) => JSON.parse(line).error)).toEqual([
    ...Array(3).fill(invalid),
    { code: -32700, message: 'The message is no JSON' },
  ])
})
