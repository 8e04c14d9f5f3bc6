import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type ssh2 from 'ssh2'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Client } from '../../../kernel/ssh/ssh2/index.ts'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

let fixture: SshFixture
let client: ssh2.Client
beforeAll(async () => {
  fixture = await openSshFixture()
})
afterAll(() => fixture?.close())
afterEach(() => client?.end())

// biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor and colors
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|.)/g

interface Terminal {
  channel: ssh2.ClientChannel
  /** Waits until what came since the last wait matches. */
  see(wanted: RegExp | string): Promise<void>
  ended: Promise<number | null | undefined>
}

async function open(
  username: string,
  window: { cols: number; rows: number } = { cols: 100, rows: 30 },
): Promise<Terminal> {
  client = new Client()
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve).once('error', reject)
    client.connect({
      host: '127.0.0.1',
      port: fixture.port,
      username,
      privateKey: readFileSync(join(fixture.folder, 'id')),
    })
  })
  const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
    client.shell(
      { term: 'xterm', ...window, width: 0, height: 0 },
      { env: { LANG: 'en_US.UTF-8' } },
      (error, opened) => (error ? reject(error) : resolve(opened)),
    ),
  )
  let text = ''
  channel.on('data', (bytes: Buffer) => {
    text += bytes
  })
  return {
    channel,
    ended: new Promise((resolve) => channel.once('close', (code: number | null) => resolve(code))),
    async see(wanted) {
      await expect
        .poll(() => text.replace(SEQUENCES, ''))
        .toMatch(typeof wanted === 'string' ? new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : wanted)
      text = ''
    },
  }
}

test('the menu: search, connect, work in the machine at the window’s size, come back, leave', async () => {
  const { channel, see, ended } = await open('walker')
  await see(/walker of test[\s\S]*Opt>\s*$/)
  channel.write('p\r')
  await see(/web-1[\s\S]*127\.0\.0\.1[\s\S]*\[Host\]>\s*$/)
  channel.write('1\r')
  await see(/[#$]\s*$/)
  channel.write('stty size; echo in-$((40 + 2))\r')
  await see(/30 100\r\nin-42/)
  channel.setWindow(40, 120, 0, 0)
  channel.write('stty size\r')
  await see('40 120')
  channel.write('exit\r')
  await see(/\[Host\]>\s*$/)
  channel.write('web-1\r')
  await see(/[#$]\s*$/)
  channel.write('exit 3\r')
  await see(/\[Host\]>\s*$/)
  channel.write('q\r')
  expect(await ended).toBe(0)
  const { body } = await fixture.server.admin.get('/api/v1/terminal/sessions/?limit=2&order=-date_start')
  expect(body.results.map((row: { login_from: string; user: string }) => [row.login_from, row.user])).toEqual(
    Array(2).fill(['ST', 'walker of test(walker)']),
  )
})

test('a direct name that means several is a choice at a terminal, and a plain refusal without one', async () => {
  await fixture.target(
    { port: fixture.sshd.port },
    { username: fixture.sshd.username, private_key: fixture.sshd.privateKey },
  )
  const { channel, see, ended } = await open(fixture.direct.split('@').slice(0, 3).join('@'))
  await see(/target-1[\s\S]*ID>\s*$/)
  channel.write('2\r')
  await see(/[#$]\s*$/)
  channel.write('exit 9\r')
  expect(await ended).toBe(9)
  const refused = await fixture.ssh(fixture.direct, 'true')
  expect([refused.code, refused.stderr]).toEqual([255, expect.stringContaining('127.0.0.1')])
})

test('without a terminal, and without a machine’s name, nothing starts', async () => {
  const ran = await fixture.ssh('walker@127.0.0.1', 'id')
  expect([ran.code, ran.stdout.toString()]).toEqual([1, ''])
  expect(ran.stderr).not.toBe('')
})

test('[A6.15] disabling a person closes their menu too', async () => {
  const { see, ended } = await open('walker')
  await see(/Opt>\s*$/)
  const url = `/api/v1/users/users/${fixture.person.id}/`
  await fixture.server.admin.patch(url, { is_active: false })
  try {
    await see('Your sign-in has ended')
    await ended
  } finally {
    await fixture.server.admin.patch(url, { is_active: true })
  }
})

test('somebody who types and never reads is not read any more, and goes on where they were', async () => {
  const { channel, see } = await open('walker')
  await see(/Opt>\s*$/)
  channel.pause()
  for (let n = 0; n < 4000; n++) channel.write('h\r')
  channel.resume()
  await see(/Opt>\s*$/)
  channel.write('q\r')
})
