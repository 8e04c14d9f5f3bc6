import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { textWidth } from '../../prompt/plain-text.ts'
import type { Person } from '../../session/person.ts'
import type { ConnectionChoice } from './choose.ts'
import { Menu } from './menu.ts'
import { openScreen } from './screen-fixture.ts'

let server: TestServer
let walker: Caller
let systemUsers: Record<string, string>
let assets: Record<string, string>

/**
 * 30 web servers and a few odd machines in a small tree, all granted to one person by the tree's
 * top.
 */
beforeAll(async () => {
  server = await openTestServer()
  walker = await server.aPerson('walker')
  const { body: roots } = await server.admin.get('/api/v1/assets/nodes/children/')
  const city = await created(`/api/v1/assets/nodes/${roots[0].id}/children/`, { value: '上海机房' })
  const rack = await created(`/api/v1/assets/nodes/${city}/children/`, { value: 'Rack 1' })
  await created(`/api/v1/assets/nodes/${roots[0].id}/children/`, { value: 'Attic' })
  const asset = (hostname: string, ip: string, more: object = {}) =>
    created('/api/v1/assets/assets/', {
      hostname,
      ip,
      platform: 'Linux',
      protocols: ['ssh/22', 'rdp/3389'],
      nodes: [city],
      ...more,
    })
  assets = {}
  for (let n = 1; n <= 30; n++) assets[`web-${n}`] = await asset(`web-${n}`, `10.0.0.${n}`)
  assets.db = await asset('数据库-主', '10.1.0.1', {
    nodes: [rack],
    comment: '第一台\n  北京 机柜\x1b[2J\x1b]0;owned\x07',
  })
  assets.off = await asset('sleeper', '10.2.0.1', { is_active: false })
  assets.bare = await asset('bare', '10.3.0.1', { protocols: ['telnet/23'] })
  const systemUser = (name: string, more: object) =>
    created('/api/v1/assets/system-users/', {
      name,
      username: name,
      protocol: 'ssh',
      login_mode: 'manual',
      auto_push: false,
      ...more,
    })
  systemUsers = {
    ops: await systemUser('ops', { priority: 20 }),
    late: await systemUser('late', { priority: 81 }),
    desktop: await systemUser('desktop', { protocol: 'rdp', priority: 1 }),
  }
  await created('/api/v1/perms/asset-permissions/', {
    name: 'all',
    users: [walker.id],
    nodes: [roots[0].id],
    system_users: Object.values(systemUsers),
  })
})
afterAll(() => server?.close())

async function created(path: string, body: unknown): Promise<string> {
  const answer = await server.admin.post(path, body)
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.id
}

function personOf(caller: Caller, language: Person['language'] = 'en'): Person {
  return {
    id: caller.id,
    username: caller.username,
    name: `${caller.username} of test`,
    language,
    remoteAddress: '127.0.0.1',
    loginFrom: 'ST',
  }
}

interface Opened {
  screen: ReturnType<typeof openScreen>
  menu: Menu
  connected: ConnectionChoice[]
  over: Promise<void>
  type(text: string | Buffer): void
  /** Types a line and answers what comes until the next prompt. */
  enter(line: string, prompt?: string | RegExp): Promise<string>
}

async function open({ person = personOf(walker), cols = 80, rows = 24 } = {}): Promise<Opened> {
  const screen = openScreen(cols, rows)
  const connected: ConnectionChoice[] = []
  const menu = new Menu(server.kernel, {
    person,
    terminal: screen,
    async connect(target) {
      connected.push(target)
      screen.write('(session)\r\n')
    },
  })
  const over = menu.run()
  const type = (text: string | Buffer) => menu.input(Buffer.from(text))
  await screen.see('Opt> ')
  return {
    screen,
    menu,
    connected,
    over,
    type,
    async enter(line, prompt = /(?:^|\r\n)\r(?:Opt|\[\w+\]|ID)> /) {
      type(`${line}\r`)
      // The line itself, as it is echoed.
      await screen.see(/\r\n/)
      return screen.see(prompt)
    },
  }
}

const rowsOf = (text: string) => [...text.matchAll(/^(\d+) +\| (\S+)/gm)].map(([, number, name]) => `${number} ${name}`)

test('the menu greets by name and lists its keys, numbered', async () => {
  const { screen, enter } = await open()
  const lines = (await screen.lines()).map((line) => line.trim())
  expect(lines[0]).toBe('walker of test, welcome to Sallyport')
  expect(lines.filter((line) => /^\d+\) /.test(line)).map((line) => /Enter (.+?) (?:to|for) /.exec(line)?.[1])).toEqual(
    [...['part of IP, hostname or comment', '/ + text', 'p', 'g', 'd', 'k', 'r', 's', 'h', 'q']],
  )
  expect(await enter('H')).toContain('1) Enter')
})

test.each(['q', 'Q', 'exit', 'quit', ' EXIT '])('%j leaves', async (word) => {
  const { type, over } = await open()
  type(`${word}\r`)
  await over
})

test('Ctrl-D leaves, Ctrl-C only throws the line away, and a terminal that is closed ends the menu', async () => {
  const first = await open()
  first.type('web\x03')
  await first.screen.see('^C\r\n\rOpt> ')
  first.type('\x04')
  await first.over
  const second = await open()
  second.menu.close()
  await second.over
})

test('s switches the language, and it stays at the next sign-in', async () => {
  const person = personOf(await server.aPerson('linguist'))
  const first = await open({ person })
  expect(await first.enter('s')).toContain('输入 p 显示您有权限的主机')
  expect(await first.enter('p')).toContain('没有资产')
  const again = await open({ person: { ...person, language: 'en' } })
  expect((await again.screen.lines()).join()).toContain('欢迎使用')
  expect(await again.enter('s')).toContain('Enter p to list your hosts')
})

test('p and an empty line after the help list hosts, as many as fit into the window; n, Enter and b turn the pages', async () => {
  const { enter, screen } = await open({ rows: 20 })
  const first = await enter('p')
  expect(first).toMatch(/ID +\| Hostname +\| IP +\| Comment/)
  expect(first).toContain('Page: 1, count: 12, total pages: 3, total count: 33')
  expect(first).toMatch(/\[Host\]> $/)
  expect(rowsOf(first).length).toBe(12)
  const second = await enter('N')
  expect(second).toContain('Page: 2, count: 12, total pages: 3')
  const third = await enter('')
  expect(third).toContain('Page: 3, count: 9, total pages: 3')
  const names = [first, second, third].flatMap(rowsOf).map((row) => row.split(' ')[1])
  expect(new Set(names).size).toBe(33)
  expect(await enter('n')).toContain('This is the last page')
  expect(rowsOf(await enter('b'))).toEqual(rowsOf(second))
  expect(rowsOf(await enter('b'))).toEqual(rowsOf(first))
  expect(await enter('b')).toContain('This is the first page')
  screen.resize(80, 40)
  expect(await enter('p')).toContain('count: 32, total pages: 2')
  await enter('h')
  expect(rowsOf(await enter('')).length).toBe(32)
})

test('after the window has shrunk the next page goes on where the last one ended', async () => {
  const { enter, screen, menu } = await open({ rows: 28 })
  const first = rowsOf(await enter('p'))
  screen.resize(80, 13)
  menu.resize()
  const second = rowsOf(await enter('n'))
  expect([first.length, second.length]).toEqual([20, 5])
  expect(new Set([...first, ...second].map((row) => row.split(' ')[1])).size).toBe(25)
})

test('a number connects to that row of the page on the screen, with the system user that comes first', async () => {
  const { enter, connected } = await open({ rows: 13 })
  await enter('/web-')
  const second = rowsOf(await enter('n'))
  expect(await enter('2')).toContain('(session)')
  const name = second[1]?.split(' ')[1] ?? ''
  expect(connected).toEqual([{ target: { family: 'asset', id: assets[name] }, systemUserId: systemUsers.ops }])
  expect(await enter('6')).toMatch(/Search: 6/)
})

test('an input that is one IP or host name connects to it even when others contain it; so does a search with one hit', async () => {
  const { enter, connected } = await open()
  await enter('web-1')
  await enter('10.0.0.2')
  await enter('WEB-3')
  await enter('10.1.0')
  await enter('北京')
  expect(connected.map(({ target }) => target.id)).toEqual(
    ['web-1', 'web-2', 'web-3', 'db', 'db'].map((name) => assets[name]),
  )
  expect(rowsOf(await enter('web-2'))).toEqual([])
  expect(rowsOf(await enter('10.0.0.3 web')).length).toBe(2)
  expect(connected.length).toBe(6)
})

test('/ only searches, // narrows what was found, again and again', async () => {
  const { enter, connected } = await open()
  expect(rowsOf(await enter('/web-1'))).toHaveLength(11)
  const narrowed = await enter('//10.0.0.1')
  expect(narrowed).toContain('Search: web-1 10.0.0.1')
  expect(rowsOf(narrowed)).toHaveLength(11)
  expect(rowsOf(await enter('//9'))).toEqual(['1 web-19'])
  expect(await enter('//nothing')).toContain('No assets')
  expect(rowsOf(await enter('/web-2'))).toHaveLength(11)
  expect(rowsOf(await enter('/')).length).toBe(16)
  expect(connected).toEqual([])
})

test('g shows the tree with amounts, g and a number the assets of that node', async () => {
  const { enter } = await open({ rows: 50 })
  const tree = await enter('G')
  expect(tree).toMatch(/1\.Default\(33\)\r\n {2}2\.Attic\(0\)\r\n {2}3\.上海机房\(33\)\r\n {4}4\.Rack 1\(1\)\r\n/)
  const rack = await enter('g4')
  expect(rack).toContain('Node: Rack 1')
  expect(rowsOf(rack)).toEqual(['1 数据库-主'])
  expect(await enter('g2')).toContain('This node has no assets')
  expect(await enter('g99')).toContain('No assets')
  expect(rowsOf(await enter('G3'))).toHaveLength(33)
  expect(rowsOf(await enter('//web-3'))).toHaveLength(2)
  const another = await open()
  expect(rowsOf(await another.enter('g4'))).toEqual(['1 数据库-主'])
})

test('databases and clusters have their own prompts and say that there are none', async () => {
  const { enter } = await open()
  expect(await enter('d')).toMatch(/No databases\r\n\r\[DB\]> $/)
  expect(await enter('web-1')).toMatch(/No databases/)
  expect(await enter('K')).toMatch(/No Kubernetes clusters\r\n\r\[K8S\]> $/)
  expect(await enter('')).toMatch(/No Kubernetes clusters/)
  expect(await enter('p')).toMatch(/\[Host\]> $/)
  expect(await enter('h')).toMatch(/\rOpt> $/)
})

test('r shows the list as it is now', async () => {
  const { enter } = await open({ rows: 60 })
  await enter('/fresh')
  expect(rowsOf(await enter('/web-30'))).toHaveLength(1)
  await server.admin.patch(`/api/v1/assets/assets/${assets['web-30']}/`, { comment: 'just now' })
  const refreshed = await enter('r')
  expect(refreshed).toContain('Refreshed')
  expect(refreshed).toContain('just,now')
})

test('an inactive asset and one without a system user are refused with a notice', async () => {
  const { enter, connected } = await open()
  expect(await enter('sleeper')).toContain('The asset sleeper is inactive')
  expect(await enter('bare')).toContain('You have no system user on bare')
  expect(connected).toEqual([])
})

test('several system users with the lowest priority number are to be chosen from; b, back, q, quit and exit go back', async () => {
  const same = await created('/api/v1/assets/system-users/', {
    ...{
      name: 'as myself',
      protocol: 'ssh',
      login_mode: 'manual',
      auto_push: false,
      priority: 20,
      username_same_with_user: true,
    },
  })
  const permission = await created('/api/v1/perms/asset-permissions/', {
    name: 'more',
    users: [walker.id],
    assets: [assets['web-5']],
    system_users: [same],
  })
  const { enter, connected, type, screen } = await open()
  const list = await enter('10.0.0.5')
  expect(list).toMatch(/ID +\| Name +\| Username\r\n/)
  expect(rowsOf(list)).toEqual(['1 as', '2 ops'])
  expect(list).toContain('| walker')
  expect(list).not.toMatch(/late|desktop/)
  expect(await enter('3')).toContain('There is no number 3 in this list')
  expect(await enter('ops')).toContain('There is no number ops in this list')
  expect(await enter('1')).toContain('(session)')
  for (const word of ['b', 'BACK', 'q', 'quit', 'exit']) {
    await enter('10.0.0.5')
    expect(await enter(word)).toMatch(/Opt> $/)
  }
  await enter('10.0.0.5')
  type('\x03')
  await screen.see('Opt> ')
  expect(connected).toEqual([{ target: { family: 'asset', id: assets['web-5'] }, systemUserId: same }])
  await server.admin.delete(`/api/v1/perms/asset-permissions/${permission}/`)
})

test('a permission that ends is felt at the next key', async () => {
  const guest = await server.aPerson('guest')
  const permission = await created('/api/v1/perms/asset-permissions/', {
    ...{
      name: 'short',
      users: [guest.id],
      assets: [assets['web-1'], assets['web-2']],
      system_users: [systemUsers.ops],
    },
  })
  const { enter, connected } = await open({ person: personOf(guest) })
  expect(rowsOf(await enter('p'))).toHaveLength(2)
  await server.admin.patch(`/api/v1/perms/asset-permissions/${permission}/`, { is_active: false })
  expect(await enter('1')).toContain('You have no system user on web-1')
  expect(await enter('p')).toContain('No assets')
  expect(await enter('g')).toContain('No nodes')
  expect(connected).toEqual([])
})

test.each([
  [40, 'en'],
  [80, 'cn'],
  [20, 'cn'],
] as const)(
  'in a window of %i columns lists stand straight, with Chinese in them and around them (%s)',
  async (cols, language) => {
    const { enter, screen } = await open({
      cols,
      rows: 60,
      person: { ...personOf(await server.aPerson(`wide${cols}`), language), id: walker.id },
    })
    await enter('p')
    const lines = await screen.lines()
    const rule = lines.findIndex((line) => /^-+\+-/.test(line))
    const bar = (lines[rule] ?? '').indexOf('+')
    const table = lines.slice(rule - 1, rule + 34).filter((_, index) => index !== 1)
    expect(table.length).toBe(34)
    for (const line of table) {
      expect(textWidth(line)).toBeLessThan(cols)
      expect(textWidth(line.slice(0, line.indexOf('|')))).toBe(bar)
    }
  },
)

test('text of others is on one line and cannot act on the terminal', async () => {
  const { enter, screen } = await open({ cols: 160 })
  const list = await enter('/10.1.0.1')
  expect(list).toContain('| 第一台|北京,机柜[2J]0;owned')
  expect(screen.raw()).not.toContain('\x1b]0;owned')
})

test('lines of a paste are taken one by one; what follows one that connects is thrown away', async () => {
  const { type, screen, connected, enter } = await open()
  type('/web-1\r/web-2\rweb-3\rrm -rf /\rq\r')
  await screen.see('Search: web-1')
  await screen.see('Search: web-2')
  await screen.see(/\(session\)\r\n\r\[Host\]> /)
  expect(connected.map(({ target }) => target.id)).toEqual([assets['web-3']])
  expect(rowsOf(await enter('/web-30'))).toEqual(['1 web-30'])
})

test('a megabyte of paste, of rubbish or of escape sequences leaves a menu that answers', async () => {
  const { type, enter, screen, connected } = await open()
  const rubbish = Buffer.from(Array.from({ length: 65_536 }, (_, n) => (n * 7919 + (n >> 3)) % 256)).map((byte) =>
    byte === 4 ? 0 : byte,
  )
  for (let n = 0; n < 16; n++) type(Buffer.from(rubbish))
  type('\x03')
  for (let n = 0; n < 16; n++) type('\x1b]0;x\x1b[999;999H\x1b[6n\x1bP'.repeat(3000))
  type('\x03')
  for (let n = 0; n < 16; n++) type(`${'数据 '.repeat(2000)}\r`)
  type('\x03')
  type('/web-7\r')
  await screen.see(/Search: web-7[^>]*\[Host\]> /)
  expect(rowsOf(await enter('/web-8'))).toEqual(['1 web-8'])
  expect(connected).toEqual([])
})

test('a search for what a database might take for its own words finds nothing and breaks nothing', async () => {
  const { enter } = await open()
  for (const text of ["' OR 1=1 --", '%', '\\', '_', '$1', '{{key}}', 'g999999999', '//%%', '/\\', '😀'])
    expect(rowsOf(await enter(text)), text).toEqual([])
})

test('a database that fails costs one notice, not the menu', async () => {
  const { enter } = await open()
  await server.kernel.pool.query('ALTER TABLE perms_permission RENAME TO perms_away')
  try {
    expect(await enter('p')).toContain('This did not work, please try again')
  } finally {
    await server.kernel.pool.query('ALTER TABLE perms_away RENAME TO perms_permission')
  }
  expect(rowsOf(await enter('/web-9'))).toEqual(['1 web-9'])
})

// The last ones: a changed setting may take a moment until it holds.
test('the title is that of the sign-in page; a window keeps it after the menu', async () => {
  await settingsOf(server.kernel).set('LOGIN_TITLE', 'Door of ACME\x1b[2J')
  await expect.poll(async () => (await (await open()).screen.lines())[0]).toBe('walker of test, Door of ACME[2J')
  const { type, over, screen } = await open()
  type('q\r')
  await over
  expect(screen.raw().endsWith('\x1b]0;Door of ACME[2J\x07')).toBe(true)
})

test('the page size and the order follow the settings', async () => {
  const settings = settingsOf(server.kernel)
  const { enter } = await open()
  await settings.set('TERMINAL_ASSET_LIST_PAGE_SIZE', '10')
  await settings.set('TERMINAL_ASSET_LIST_SORT_BY', 'ip')
  await expect
    .poll(async () => rowsOf(await enter('p')))
    .toEqual(Array.from({ length: 10 }, (_, n) => `${n + 1} web-${n + 1}`))
  await settings.set('TERMINAL_ASSET_LIST_PAGE_SIZE', 'all')
  await expect.poll(() => enter('p')).toContain('Page: 1, count: 33, total pages: 1, total count: 33')
})
