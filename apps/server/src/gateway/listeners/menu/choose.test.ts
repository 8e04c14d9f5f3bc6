import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import type { Person } from '../../session/person.ts'
import { type DirectAnswer, type DirectHits, resolveDirect, TargetChoice } from './choose.ts'
import { openScreen } from './screen-fixture.ts'

let server: TestServer
let person: Person
let ids: Record<string, string>

beforeAll(async () => {
  server = await openTestServer()
  const walker = await server.aPerson('walker')
  person = {
    id: walker.id,
    username: 'walker',
    name: 'Walker',
    language: 'en',
    remoteAddress: '127.0.0.1',
    loginFrom: 'ST',
  }
  const asset = (hostname: string, ip: string, more = {}) =>
    created('assets/assets', { hostname, ip, platform: 'Linux', protocols: ['ssh/22'], ...more })
  const systemUser = (name: string, more: object) =>
    created('assets/system-users', { name, protocol: 'ssh', login_mode: 'manual', auto_push: false, ...more })
  ids = {
    web: await asset('web', '10.0.0.1'),
    twin: await asset('Twin', '10.0.0.2'),
    other: await asset('other', '10.0.0.2'),
    off: await asset('off', '10.0.0.3', { is_active: false }),
    files: await asset('files', '10.0.0.5'),
    foreign: await asset('foreign', '10.0.0.4'),
    ops: await systemUser('ops by key', { username: 'ops' }),
    ops2: await systemUser('ops by word', { username: 'ops', priority: 1 }),
    own: await systemUser('own name', { username_same_with_user: true }),
    root: await systemUser('root', { username: 'root' }),
  }
  const granted = (name: string, assets: (string | undefined)[], systemUsers: (string | undefined)[], more = {}) =>
    created('perms/asset-permissions', { name, users: [walker.id], assets, system_users: systemUsers, ...more })
  await granted('one', [ids.web, ids.off], [ids.ops, ids.own])
  await granted('two', [ids.twin], [ids.ops, ids.ops2])
  await granted('three', [ids.other], [ids.ops, ids.root])
  await granted('files', [ids.files], [ids.ops], { actions: ['upload_file'] })
})
afterAll(() => server?.close())

async function created(path: string, body: object): Promise<string> {
  const answer = await server.admin.post(`/api/v1/${path}/`, body)
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.id
}

const resolve = (systemUser: string, asset: string, as = person) =>
  resolveDirect(server.kernel, as, { systemUser, asset })

test.each([
  ['ops', '10.0.0.1', 'web', 'ops'],
  ['ops', 'WEB', 'web', 'ops'],
  ['ops by key', 'web', 'web', 'ops'],
  ['walker', 'web', 'web', 'own'],
  ['root', '10.0.0.2', 'other', 'root'],
  ['ops by word', 'twin', 'twin', 'ops2'],
])('%s@%s is %s as %s', async (systemUser, asset, expectedAsset, expectedSystemUser) => {
  expect(await resolve(systemUser, asset)).toEqual({
    found: 'one',
    choice: { target: { family: 'asset', id: ids[expectedAsset] }, systemUserId: ids[expectedSystemUser] },
  })
})

test('ids mean what they name', async () => {
  const one = { found: 'one', choice: { target: { family: 'asset', id: ids.twin }, systemUserId: ids.ops2 } }
  expect(await resolve(ids.ops2 ?? '', ids.twin ?? '')).toEqual(one)
  expect(await resolve((ids.ops2 ?? '').toUpperCase(), (ids.twin ?? '').toUpperCase())).toEqual(one)
})

test.each([
  ['ops', '10.0.0.9', 'You were granted no asset 10.0.0.9'],
  ['ops', 'foreign', 'You were granted no asset foreign'],
  ['ops', '10.0', 'You were granted no asset 10.0'],
  ['ops', '%', 'You were granted no asset %'],
  ['ops', 'a\0b\x1b[2J', 'You were granted no asset ab[2J'],
  ['ops', 'off', 'The asset off is inactive'],
  ['root', 'web', 'You were granted no system user root on web'],
  ['own name\x07', 'web', 'You were granted no system user own name on web'],
  ['ops', 'files', 'You were granted no system user ops on files'],
  ['ops', 'x'.repeat(5000), `You were granted no asset ${'x'.repeat(100)}`],
])('%j@%j: %j', async (systemUser, asset, notice) => {
  expect(await resolve(systemUser, asset)).toEqual({ found: 'none', notice })
})

test('an id of something that was not granted is refused, in the language of the person', async () => {
  expect(await resolve(ids.ops ?? '', ids.foreign ?? '')).toMatchObject({ found: 'none' })
  expect(await resolve(ids.root ?? '', ids.web ?? '')).toMatchObject({ found: 'none' })
  expect(await resolve('root', 'web', { ...person, language: 'cn' })).toEqual({
    found: 'none',
    notice: '在 web 上没有找到授权给您的系统用户 root',
  })
})

function hitsOf(answer: DirectAnswer): DirectHits {
  if (answer.found !== 'several') throw new Error(`found ${answer.found}`)
  return answer
}

async function choose(systemUser: string, asset: string, keys: string) {
  const answer = await resolve(systemUser, asset)
  const screen = openScreen()
  const choice = new TargetChoice({ person, terminal: screen })
  const chosen = choice.choose(hitsOf(answer))
  choice.input(Buffer.from(keys))
  return { chosen: await chosen, text: (await screen.lines()).join('\n'), answer }
}

test('several assets of one name are listed and chosen from by number, then the system user', async () => {
  const { text, chosen, answer } = await choose('ops', '10.0.0.2', '3\r0\r2\r1\r')
  expect(answer).toMatchObject({ notice: 'ops@10.0.0.2 means several: name them by their ids' })
  expect(text).toMatch(
    /ID \| Hostname \| IP +\| Comment\n-+\+-+\+-+\+-+\n1 +\| Twin +\| 10\.0\.0\.2 \|\n2 +\| other +\| 10\.0\.0\.2 \|\n/,
  )
  expect(text).toContain('There is no number 3 in this list')
  expect(chosen).toEqual({ target: { family: 'asset', id: ids.other }, systemUserId: ids.ops })
  const second = await choose('ops', '10.0.0.2', '1\r2\r')
  expect(second.text).toMatch(
    /ID \| Name +\| Username\n-+\+-+\+-+\n1 +\| ops by key +\| ops\n2 +\| ops by word \| ops\n/,
  )
  expect(second.chosen).toEqual({ target: { family: 'asset', id: ids.twin }, systemUserId: ids.ops2 })
})

test('several system users of one name on one asset are chosen from, whatever their priority', async () => {
  expect((await choose('ops', 'twin', '1\r')).chosen).toEqual({
    target: { family: 'asset', id: ids.twin },
    systemUserId: ids.ops,
  })
})

test.each(['q\r', 'QUIT\r', 'exit\r', '\x03', '\x04', '1\rq\r', '1\r\x04'])(
  '%j leaves without a choice',
  async (keys) => {
    expect((await choose('ops', '10.0.0.2', keys)).chosen).toBeUndefined()
  },
)

test('a terminal that is gone chooses nothing', async () => {
  const choice = new TargetChoice({ person, terminal: openScreen() })
  const chosen = choice.choose(hitsOf(await resolve('ops', '10.0.0.2')))
  choice.close()
  expect(await chosen).toBeUndefined()
})
