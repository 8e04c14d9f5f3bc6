import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { PreparingClient } from '../../kernel/database/preparing-client.ts'
import { Client } from '../../kernel/ssh/ssh2/index.ts'
import { openSshFixture, PASSWORD, type SshFixture } from '../listeners/ssh/ssh-fixture.ts'

/**
 * Most of the time in which a session opens is the database's, so each statement more is felt by
 * everybody. One that is added on purpose is written down here.
 */
const SIGN_IN = [
  'select authentication_failure',
  'select users_user',
  // The password is checked here.
  'select authentication_failure',
  'select acls_login_acl',
  'select users_user',
  'update users_user, insert audits_login_log',
  'insert authentication_open_connection',
]
const FIND_BY_NAME = ['select perms_permission', 'select assets_listed_asset', 'select assets_asset_under_node']
const OPEN = [
  'select assets_asset_under_node', // may connect
  'select assets_asset',
  'select assets_system_user',
  'select assets_account',
  'select acls_login_asset_acl',
  'insert terminal_session',
]
const REACH = ['select assets_host_key', 'update assets_host_key', 'update terminal_session']
/** Asked for once while somebody is at the same machine. */
const RULES = 'select assets_listed_asset'

/** Questions of a node by the minute are no part of an opening. */
const OF_THE_NODE = /^select (?:monitor_\w+|kernel_\w+|notifications_\w+|terminal_session)$|^SELECT 1$/

let fixture: SshFixture

beforeAll(async () => {
  // Nor is what it does every few seconds.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  fixture = await openSshFixture({ SALLYPORT_ROLES: 'api,gateway' })
  // The first login of all pins the key of the machine.
  await shell({ password: PASSWORD })
})

afterAll(async () => {
  await fixture.close()
  vi.useRealTimers()
})

/** Verb and table of each change, else of the first table that is read. */
function inShort(text: string): string {
  const changes = [...text.matchAll(/\b(update|insert into) "?(\w+)/g)].map(
    ([, verb, table]) => `${verb?.split(' ')[0]} ${table}`,
  )
  const read = /\bfrom "?((?!unnest)\w+)/i.exec(text)?.[1]
  return changes.join(', ') || (read ? `select ${read}` : text)
}

/** Statements that come while `work` is under way, once all sessions before it have ended. */
async function askedDuring(work: () => Promise<unknown>): Promise<string[]> {
  for (let open = true; open; ) {
    const { rows } = await fixture.server.kernel.pool.query<{ open: boolean }>(`
      SELECT EXISTS (SELECT 1 FROM terminal_session s WHERE NOT EXISTS (SELECT 1 FROM terminal_session_event e WHERE e.session = s.id))
        OR EXISTS (SELECT 1 FROM authentication_open_connection) AS open`)
    open = rows[0]?.open === true
  }
  const asked: string[] = []
  const { query } = PreparingClient.prototype
  const spy = vi.spyOn(PreparingClient.prototype, 'query').mockImplementation(function (
    this: PreparingClient,
    ...given: Parameters<typeof query>
  ) {
    const [first] = given
    const text: string = (typeof first === 'string' ? first : first?.text) ?? ''
    asked.push(inShort(text.trim()))
    return query.apply(this, given)
  })
  try {
    await work()
    return asked.filter((one) => !OF_THE_NODE.test(one))
  } finally {
    spy.mockRestore()
  }
}

/** A plain client that opens a shell on the machine, up to its prompt. */
async function shell(proof: { password: string } | { privateKey: string }): Promise<void> {
  const client = new Client()
  const username = `${fixture.person.username}@${fixture.sshd.username}@127.0.0.1`
  await new Promise<void>((resolve, reject) =>
    client
      .once('ready', resolve)
      .once('error', reject)
      .connect({ host: '127.0.0.1', port: fixture.port, username, ...proof }),
  )
  await new Promise<void>((resolve, reject) =>
    client.shell((error, channel) => {
      if (error) return reject(error)
      let text = ''
      channel.on('data', (bytes: Buffer) => {
        text += bytes
        if (/[#$] /.test(text)) resolve()
      })
    }),
  )
  client.end()
}

const key = () => readFileSync(join(fixture.folder, 'id'), 'utf8')

test('a shell over SSH asks the database for so much from the password to the prompt, and a key once more', async () => {
  const whole = [...SIGN_IN, ...FIND_BY_NAME, ...OPEN, RULES, ...REACH]
  expect(await askedDuring(() => shell({ password: PASSWORD }))).toEqual(whole)
  expect(await askedDuring(() => shell({ privateKey: key() }))).toEqual(['select users_user', ...whole])
})

test('a web terminal of a person who is signed in asks for nothing more than who they are', async () => {
  const asked = await askedDuring(async () => {
    const terminal = await fixture.open(fixture.person)
    await terminal.see(/[#$] /)
    terminal.close()
  })
  expect(asked).toEqual(['select authentication_bearer_token', ...OPEN, RULES, ...REACH])
})
