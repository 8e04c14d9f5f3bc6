import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, PASSWORD, type TestServer } from '../../../test/server.ts'
import { remindOfPasswords } from '../authentication/password-reset/reminder.ts'
import { remindOfPermissions } from '../perms/expiry-reminder.ts'
import { checkComponents } from '../terminal/alarms.ts'
import { createSession, noteSessionEvent } from '../terminal/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await server.kernel.pool.query("UPDATE users_user SET language = 'en'")
})
afterAll(() => server?.close())

/** Subjects and texts of what somebody has not read, newest first; read afterwards. */
async function news(person: Caller): Promise<{ subject: string; message: string }[]> {
  const INBOX = '/api/v1/notifications/site-message/'
  const rows = (await person.get(`${INBOX}?has_read=false`)).body
  await person.patch(`${INBOX}mark-as-read/`, { ids: rows.map(({ id }: { id: string }) => id) })
  return rows
}
const subjects = async (person: Caller) => (await news(person)).map(({ subject }) => subject)

test('[A3.06] permissions that end within three days are announced to those they grant to, by name or in a group, and to the administrators', async () => {
  const { admin, kernel } = server
  const [ann, bea, boss, other] = [
    await server.aPerson('ann'),
    await server.aPerson('bea'),
    await server.aPerson('boss', { orgRoles: ['Admin'] }),
    await server.aPerson('other'),
  ]
  const group = (await admin.post('/api/v1/users/groups/', { name: 'crew', users: [bea.id] })).body
  const node = (await admin.get('/api/v1/assets/nodes/')).body[0]
  const systemUser = (
    await admin.post('/api/v1/assets/system-users/', { name: 'deploy', username: 'deploy', protocol: 'ssh' })
  ).body
  /** Begins and ends so long from now. */
  const grant = async (name: string, [begins, ends]: [string, string], people: object) => {
    const made = await admin.post('/api/v1/perms/asset-permissions/', {
      name,
      nodes: [node.id],
      system_users: [systemUser.id],
      ...people,
    })
    expect(made.status).toBe(201)
    await kernel.pool.query(
      'UPDATE perms_permission SET date_start = now() + $2::interval, date_expired = now() + $3::interval WHERE id = $1',
      [made.body.id, begins, ends],
    )
  }
  await grant('soon', ['-1 day', '71 hours'], { users: [ann.id], user_groups: [group.id] })
  await grant('later', ['-1 day', '73 hours'], { users: [other.id] })
  await grant('over', ['-1 day', '-1 minute'], { users: [other.id] })
  await grant('not yet', ['1 hour', '2 days'], { users: [other.id] })
  await grant('switched off', ['-1 day', '2 days'], { users: [other.id], is_active: false })
  await remindOfPermissions(kernel)
  for (const person of [ann, bea]) {
    const [one, ...more] = await news(person)
    expect([one?.subject, one?.message.includes('<p>soon</p>'), more]).toEqual([
      'Your access to assets ends soon',
      true,
      [],
    ])
  }
  expect(await subjects(boss)).toEqual(['Asset permissions end soon'])
  expect(await subjects(other)).toEqual([])
  // Beyond twenty names the others are counted.
  for (const [many, isListed] of [
    [20, false],
    [21, true],
  ] as const) {
    for (let n = 1; n <= many; n++)
      if (many === 20 || n > 20) await grant(`one of ${n}`, ['-1 day', '2 days'], { users: [other.id] })
    await remindOfPermissions(kernel)
    const [{ message } = { message: '' }] = await news(other)
    expect([many, message.includes(`… (${many})`), message.includes('one of 20')]).toEqual([many, isListed, true])
  }
})

test('[B9.21] a password that expires soon is announced in the inbox too, also while no mail can be sent', async () => {
  const tim = await server.aPerson('tim')
  const { kernel } = server
  await kernel.pool.query(
    "UPDATE users_user SET date_password_last_updated = now() - interval '9997.5 days' WHERE id = $1",
    [tim.id],
  )
  await remindOfPasswords(kernel)
  const [one] = await news(tim)
  expect([one?.subject, one?.message.includes('expires in')]).toEqual(['Your password expires soon', true])
  expect(one?.message).toContain('href="/ui/users/profile?activeTab=PasswordUpdate"')
})

test('[A3.06] people get a notice when their password, key or second factor changes', async () => {
  const { admin } = server
  const uma = await server.aPerson('uma')
  await admin.patch(`/api/v1/users/users/${uma.id}/pubkey/reset/`, {})
  await admin.get(`/api/v1/users/users/${uma.id}/mfa/reset/`)
  expect(await subjects(await server.signIn('uma', PASSWORD))).toEqual([
    'Your second factor was reset',
    'Your SSH key was removed',
  ])
  const again = await server.signIn('uma', PASSWORD)
  const changed = await again.put('/api/v1/users/profile/password/', {
    old_password: PASSWORD,
    new_password: 'Another-person-2',
    new_password_again: 'Another-person-2',
  })
  expect(changed.status).toBe(200)
  expect(await subjects(await server.signIn('uma', 'Another-person-2'))).toEqual(['Your password was changed'])
})

test('[A3.06] a fault of a component is reported once, and again when it comes back after an hour', async () => {
  const { admin, kernel } = server
  const seen = (ago: string, disk: number) =>
    kernel.pool.query(
      `INSERT INTO terminal_terminal (type, name, remote_addr, is_accepted, date_last_seen, cpu_load, memory_used, disk_used)
       VALUES ('koko', 'far', '10.0.0.9', true, now() - $1::interval, 1, 50, $2)
       ON CONFLICT DO NOTHING`,
      [ago, disk],
    )
  const set = (ago: string, disk: number) =>
    kernel.pool.query(
      `UPDATE terminal_terminal SET date_last_seen = now() - $1::interval, disk_used = $2 WHERE name = 'far'`,
      [ago, disk],
    )
  await seen('5 seconds', 91.26)
  // The state of this test's machine is not the question.
  await kernel.pool.query(
    `UPDATE terminal_terminal SET cpu_load = 0, memory_used = 0, disk_used = 0 WHERE name <> 'far'`,
  )
  await checkComponents(kernel)
  const [one, ...more] = (await news(admin)).filter(({ subject }) => subject === 'Server performance alert')
  expect([one?.message, more]).toEqual(['<p>The disk of far is 91.3% full.</p>', []])
  await checkComponents(kernel)
  expect(await subjects(admin)).toEqual([])
  await set('5 seconds', 10)
  await checkComponents(kernel)
  expect(await subjects(admin)).toEqual([])
  // Up and down around the limit: once an hour is enough.
  await set('5 seconds', 92)
  await checkComponents(kernel)
  expect(await subjects(admin)).toEqual([])
  await set('5 seconds', 10)
  await kernel.pool.query("UPDATE notifications_alarm SET date_created = now() - interval '61 minutes'")
  await checkComponents(kernel)
  await set('5 seconds', 93)
  await checkComponents(kernel)
  expect((await news(admin))[0]?.message).toContain('93')
  await set('1 hour', 99)
  await checkComponents(kernel)
  expect((await news(admin))[0]?.message).toContain('far is offline.')
})

test('[A3.06] subscribers get a notice of a session that goes on without a recording, with a way to it', async () => {
  const { admin, kernel } = server
  const session = await createSession(kernel.db, {
    org_id: DEFAULT_ORG_ID,
    user: 'a(a)',
    asset: 'b(b)',
    system_user: 'c(c)',
    protocol: 'ssh',
  })
  await noteSessionEvent(kernel, { session, org_id: DEFAULT_ORG_ID, event: 'unrecorded', user: 'Ann(ann)' })
  const [one] = await news(admin)
  expect([
    one?.subject,
    one?.message.includes('Ann (ann)'),
    one?.message.includes(`/ui/terminal/sessions/${session}?oid=${DEFAULT_ORG_ID}`),
  ]).toEqual(['A session is not recorded', true, true])
})

test('[A1.19 A3.06] messages to people without a language of their own are in the installation’s; a part of this server is named by its machine', async () => {
  const { admin, kernel } = server
  const newcomer = await server.aPerson('newcomer')
  const name = `[KoKo]-${kernel.nodes.name}`
  const messages = async (installation: 'cn' | 'en' | 'browser', own: string | null) => {
    kernel.app.installationLanguage = installation
    await kernel.pool.query('DELETE FROM notifications_alarm')
    await kernel.pool.query('UPDATE users_user SET language = $1', [own])
    await admin.put('/api/v1/notifications/system-msg-subscription/ServerPerformanceMessage/', {
      users: [newcomer.id],
      groups: [],
      receive_backends: [],
    })
    await kernel.pool.query(`UPDATE terminal_terminal SET date_last_seen = now() - interval '1 hour' WHERE name = $1`, [
      name,
    ])
    await checkComponents(kernel)
    return (await news(newcomer))[0]?.message
  }
  await kernel.pool.query(
    `INSERT INTO terminal_terminal (type, name, remote_addr, is_accepted, is_builtin, date_last_seen)
     VALUES ('koko', $1, '127.0.0.1', true, true, now()) ON CONFLICT DO NOTHING`,
    [name],
  )
  const [english, chinese] = [`<p>${kernel.nodes.name} is offline.</p>`, `<p>${kernel.nodes.name} 已离线。</p>`]
  expect(await messages('en', null)).toContain(english)
  expect(await messages('cn', null)).toContain(chinese)
  expect(await messages('browser', null)).toContain(chinese)
  expect(await messages('cn', 'en')).toContain(english)
  expect(await messages('en', 'cn')).toContain(chinese)
  kernel.app.installationLanguage = 'en'
})
