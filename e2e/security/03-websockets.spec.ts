// Class 3: a WebSocket upgrade authenticates, authorizes and checks Origin on its own, and dies
// when the session is revoked. The generated walk tries every upgrade route by every role; here,
// the sockets of a real process, with the cookie alone, as a browser opens them.
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { aBrowserOf, admin, aJar, aPerson, fine, LOGIN, PASSWORD, place } from './visitor.ts'

const SOCKETS = [
  '/ws/notifications/site-msg/',
  '/ws/ops/tasks/log/',
  '/ws/ops/command-executions/',
  '/koko/ws/terminal/?type=ssh&target_id=00000000-0000-4000-8000-000000000001&system_user_id=00000000-0000-4000-8000-000000000001',
]
const open = (path: string, headers: Record<string, string>) =>
  new WebSocket(place.url.replace('http', 'ws') + path, { headers })
const statusOf = (path: string, headers: Record<string, string>) =>
  new Promise<number>((resolve, reject) => {
    const socket = open(path, headers)
    socket.once('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0)
      request.destroy()
    })
    socket.once('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.once('error', reject)
  })

test.each(SOCKETS)('%s is for who is signed in, from our own pages, and ends with the session', async (path) => {
  const person = await aPerson()
  const browser = await aBrowserOf(person.username)
  const cookie = browser.cookies()
  expect(await statusOf(path, {})).toBe(401)
  expect(await statusOf(path, { cookie: 'sessionid=planted', origin: place.url })).toBe(401)
  for (const origin of [
    'https://evil.example',
    'null',
    `${place.url}.evil.example`,
    place.url.replace('http', 'https').replace(/\d+$/, '1'),
  ])
    expect(`${origin} ${await statusOf(path, { cookie, origin })}`).toBe(`${origin} 403`)
  const socket = open(path, { cookie, origin: place.url })
  await once(socket, 'open')
  const closed = once(socket, 'close')
  fine(await (await admin()).call('PATCH', `/api/v1/users/users/${person.id}/`, { is_active: false }))
  expect((await closed)[0]).toBe(1008)
  expect(await statusOf(path, { cookie, origin: place.url })).toBe(401)
})

test('a sign-in that still waits for its second factor opens no socket', async () => {
  const { id, username } = await aPerson()
  fine(await (await admin()).call('PATCH', `/api/v1/users/users/${id}/`, { mfa_level: 2 }))
  const browser = aJar()
  const { body } = await browser.call('POST', LOGIN, { username, password: PASSWORD })
  expect(body.next).toContain('/otp/enable/start/')
  for (const path of SOCKETS)
    expect(`${path} ${await statusOf(path, { cookie: browser.cookies(), origin: place.url })}`).toBe(`${path} 401`)
})
