import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

let fixture: SshFixture
let rule: string
let filter: string
beforeAll(async () => {
  fixture = await openSshFixture()
  filter = await fixture.created('/api/v1/assets/cmd-filters/', {
    name: 'guarded',
    users: [fixture.person.id],
  })
  rule = await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, content: 'forbidden' })
})
afterAll(() => fixture?.close())

/** The row of a command, once it is stored. */
const rowOf = async (input: string): Promise<unknown> => {
  const { pool } = fixture.server.kernel
  const stored = async () =>
    (
      await pool.query('SELECT risk_level, output, rule, rule_filter, ticket FROM terminal_command WHERE input = $1', [
        input,
      ])
    ).rows[0]
  await expect.poll(stored).toBeDefined()
  return stored()
}

test('a program whose command line is denied is not started: the reason on stderr, exit code 126, a row', async () => {
  const { code, stdout, stderr } = await fixture.ssh(fixture.direct, 'echo fine; echo forbidden')
  expect([code, stdout.toString()]).toEqual([126, ''])
  expect(stderr).toContain('forbidden')
  expect(await rowOf('echo fine; echo forbidden')).toMatchObject({
    risk_level: 5,
    output: '',
    rule,
    rule_filter: 'guarded',
    ticket: null,
  })
  expect(await fixture.ssh(fixture.direct, 'echo fine')).toMatchObject({ code: 0, stdout: Buffer.from('fine\n') })
})

test('the whole command line is judged, not only what a row keeps of it', async () => {
  const { code } = await fixture.ssh(fixture.direct, `echo ${'x'.repeat(200)}; echo forbidden`)
  expect(code).toBe(126)
})

test('a denied line ends a shell that reads standard input; nothing behind it is run', async () => {
  const behind = ['cat | bash', 'head -n 9 | sh', 'eval "$(cat)"', 'while read l; do eval "$l"; done', 'bash <(cat)']
  for (const command of ['bash -s', 'cd / && sh', '$SHELL', ...behind, undefined]) {
    const ran = await fixture.ssh(fixture.direct, command, {
      input: 'echo one\necho forb\\\nidden\necho two\n',
      options: ['-T'],
    })
    expect([command, ran.code, ran.stdout.toString().includes('two')]).toEqual([command, 126, false])
    expect(ran.stderr).toContain('forbidden')
  }
})

test('input of other programs is data: neither judged nor changed', async () => {
  const input = Buffer.concat([Buffer.from('forbidden\n'), Buffer.alloc(70_000, 0xff), Buffer.from('\nforbidden')])
  const { code, stdout } = await fixture.ssh(fixture.direct, 'cat', { input })
  expect([code, stdout.equals(input)]).toEqual([0, true])
})

test('a command with a terminal is judged before it starts, too', async () => {
  const { code, stdout } = await fixture.ssh(fixture.direct, 'echo forbidden-$((1 + 1))', { options: ['-tt'] })
  expect(code).toBe(126)
  expect(stdout.toString()).not.toContain('forbidden-2')
})

test('a row of the list of commands names the filter of its rule for as long as there is the rule, and its name afterwards', async () => {
  const { admin } = fixture.server
  const rules = `/api/v1/assets/cmd-filters/${filter}/rules/`
  const short = await fixture.created(rules, { filter, content: 'short-lived' })
  expect((await fixture.ssh(fixture.direct, 'echo short-lived')).code).toBe(126)
  await rowOf('echo short-lived')
  const { pool } = fixture.server.kernel
  const { rows } = await pool.query("SELECT session FROM terminal_command WHERE input = 'echo short-lived'")
  const listed = async () =>
    (await admin.get(`/api/v1/terminal/commands/?session_id=${rows[0].session}&limit=10`)).body.results[0]
  const row = { rule: short, rule_filter: 'guarded', risk_level_display: 'Dangerous' }
  expect(await listed()).toMatchObject({ ...row, rule_filter_id: filter })
  await admin.delete(`${rules}${short}/`)
  expect(await listed()).toMatchObject({ ...row, rule_filter_id: null })
})
