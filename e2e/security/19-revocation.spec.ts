// Class 19: revocation: disabling a user, grant, account or token ends live sessions within
// seconds. Terminals and files are proven beside the gateway (README.md); here, everything
// else that a person may hold at the same time, ended in each of the ways there are.

import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { Client } from '../../apps/server/src/kernel/ssh/ssh2/index.ts'
import {
  type Answer,
  aBrowserOf,
  admin,
  anAddress,
  aPerson,
  call,
  fine,
  PASSWORD,
  type Person,
  PROFILE,
  place,
  signIn,
} from './visitor.ts'

function signedWith({ id, secret }: { id: string; secret: string }) {
  const date = new Date().toUTCString()
  const signature = createHmac('sha256', secret)
    .update(`(request-target): get ${PROFILE}\ndate: ${date}`)
    .digest('base64')
  const authorization = `Signature keyId="${id}",algorithm="hmac-sha256",headers="(request-target) date",signature="${signature}"`
  return call('GET', PROFILE, undefined, { date, authorization })
}

/** Everything somebody can hold; each tells whether it still opens. */
async function everything(person: Person) {
  const browser = await aBrowserOf(person.username)
  fine(await person.call('POST', '/api/v1/authentication/access-keys/', {}))
  const key = fine(await person.call('GET', '/api/v1/authentication/access-keys/'))[0] as { id: string; secret: string }
  const socket = new WebSocket(`${place.url.replace('http', 'ws')}/ws/notifications/site-msg/`, {
    headers: { cookie: browser.cookies(), origin: place.url },
  })
  await once(socket, 'open')
  const client = new Client().on('error', () => {})
  client.connect({ host: '127.0.0.1', port: place.sshPort, username: person.username, password: PASSWORD })
  await once(client, 'ready')
  return {
    key,
    browser,
    socketEnds: once(socket, 'close'),
    sshEnds: once(client, 'close'),
    opens: async () => ({
      browser: (await browser.call('GET', PROFILE)).status,
      token: (await person.call('GET', PROFILE)).status,
      key: (await signedWith(key)).status,
      password: (
        await call(
          'POST',
          '/api/v1/authentication/tokens/',
          { username: person.username, password: PASSWORD },
          { 'x-forwarded-for': anAddress() },
        )
      ).status,
    }),
    let: () => {
      socket.terminate()
      client.end()
    },
  }
}

const ENDS: Record<string, (person: Person, keeper: Person) => Promise<Answer>> = {
  disabled: ({ id }, keeper) => keeper.call('PATCH', `/api/v1/users/users/${id}/`, { is_active: false }),
  expired: ({ id }, keeper) =>
    keeper.call('PATCH', `/api/v1/users/users/${id}/`, { date_expired: '2020/01/01 00:00:00 +0000' }),
  deleted: ({ id }, keeper) => keeper.call('DELETE', `/api/v1/users/users/${id}/`),
}

test.each(Object.keys(ENDS))(
  'a person who is %s holds nothing any more: browser, token, key, password, socket and SSH connection',
  async (way) => {
    const person = await aPerson()
    const held = await everything(person)
    expect(await held.opens()).toEqual({ browser: 200, token: 200, key: 200, password: 201 })
    fine(await (ENDS[way] as (typeof ENDS)[string])(person, await admin()))
    expect(await held.opens()).toEqual({ browser: 401, token: 401, key: 401, password: 400 })
    await Promise.all([held.socketEnds, held.sshEnds])
  },
)

test('a password that an administrator resets ends browsers, tokens, sockets and SSH; keys are the person’s own and are ended by themselves', async () => {
  const person = await aPerson()
  const held = await everything(person)
  fine(await (await admin()).call('PATCH', `/api/v1/users/users/${person.id}/password/reset/`, {}))
  expect(await held.opens()).toEqual({ browser: 401, token: 401, key: 200, password: 400 })
  await Promise.all([held.socketEnds, held.sshEnds])
})

test('a key that is switched off or deleted, and a session that is signed out, open nothing; the others go on', async () => {
  const person = await aPerson()
  const held = await everything(person)
  fine(await person.call('PATCH', `/api/v1/authentication/access-keys/${held.key.id}/`, { is_active: false }))
  expect(await held.opens()).toMatchObject({ browser: 200, token: 200, key: 401 })
  await held.browser.call('POST', '/core/auth/logout/')
  await held.socketEnds
  expect(await held.opens()).toMatchObject({ browser: 401, token: 200 })
  held.let()
})

test('a person who leaves an organization, or loses a role in it, loses what hung on it with the next call', async () => {
  const boss = await aPerson({ orgRoles: ['Admin', 'User'] })
  const keeper = await admin()
  const group = fine(
    await boss.call('POST', '/api/v1/users/groups/', { name: `group of ${boss.username}`, users: [boss.id] }),
  )
  fine(await keeper.call('PATCH', `/api/v1/users/users/${boss.id}/`, { org_roles: ['User'] }))
  expect((await boss.call('GET', '/api/v1/users/groups/')).status).toBe(403)
  expect((await boss.call('GET', PROFILE)).body.current_org_roles).toEqual(['User'])
  fine(await keeper.call('POST', `/api/v1/users/users/${boss.id}/remove/`, {}))
  expect((await boss.call('GET', PROFILE)).body.user_all_orgs).toEqual([])
  expect(fine(await keeper.call('GET', `/api/v1/users/groups/${group.id}/`)).users).toEqual([])
  expect((await signIn(boss.username)).id).toBe(boss.id)
})
