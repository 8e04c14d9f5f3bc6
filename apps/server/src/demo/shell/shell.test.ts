import { expect, test } from 'vitest'
import { DemoShell } from './shell.ts'

const PLACE = { hostname: 'pg-01', username: 'root' }

/** The screen after these keys, without the greeting. */
async function typed(keys: string, until: string): Promise<string> {
  let shown = ''
  const shell = new DemoShell(
    PLACE,
    (text) => (shown += text),
    () => (shown += '[left]'),
  )
  shown = ''
  shell.input(Buffer.from(keys))
  await expect.poll(() => shown).toContain(until)
  shell.close()
  return shown
}

test('a machine of the demo answers what its script knows, and refuses the rest as a shell does', async () => {
  expect(await typed('hostname\r', 'pg-01\r\n')).toContain('hostname\r\npg-01\r\n')
  expect(await typed('psql -c "select pg_terminate_backend(18822)"\r', '(1 row)')).toContain(' t\r\n')
  expect(await typed('nginx -t\r', 'not found')).toContain('bash: nginx: command not found')
  expect(await typed('help\r', 'exit')).toContain('pg_stat_replication')
})

test('a line is edited, given up and left as in a shell', async () => {
  expect(await typed('hostx\x7fname\r', 'pg-01\r\n')).toContain('hostx\b \bname')
  expect(await typed('订\x7f\x7fwhoami\r', 'root\r\n')).toContain('订\b \b\b \bwhoami')
  expect(await typed('rm\x15whoami\r', 'root\r\n')).toContain('rm\b \b\b \bwhoami')
  expect(await typed('\x1b[Awhoami\r', 'root\r\n')).toMatch(/^whoami\r\n/)
  expect(await typed('rm -rf /\x03', '^C\r\n')).not.toContain('not found')
  expect(await typed('\x04', '[left]')).toBe('logout\r\n[left]')
  expect(await typed('exit\r', '[left]')).toBe('exit\r\nlogout\r\n[left]')
})
