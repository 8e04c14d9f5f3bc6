import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../test/free-port.ts'
import { makeSystemAccount, type Sshd, type SystemAccount, startSshd } from '../../domains/assets/sshd-fixture.ts'
import { assetsHostKey } from '../../domains/assets/tables.ts'
import { connectSsh } from '../../kernel/ssh/connect.ts'
import { Server, utils } from '../../kernel/ssh/ssh2/index.ts'
import { openTerminalFixture, type Terminal, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'

let fixture: TerminalFixture
let account: SystemAccount | undefined
const WITHOUT_ROOT = 'needs root: only root can make an account with a password'

beforeAll(async () => {
  fixture = await openTerminalFixture()
  account = makeSystemAccount()
})
afterAll(async () => {
  await fixture?.close()
  account?.remove()
})

/** A command runs on the machine, as this account; then the person leaves. */
async function works(terminal: Terminal, username: string): Promise<void> {
  await terminal.see(/[#$] /)
  terminal.type('echo "I am $(id -un)"; exit\r')
  await terminal.see(`I am ${username}\r\n`)
  await terminal.closed
}

async function withSshd(options: Parameters<typeof startSshd>[0], work: (sshd: Sshd) => Promise<void>): Promise<void> {
  const sshd = await startSshd(options)
  try {
    await work(sshd)
  } finally {
    await sshd.close()
  }
}

async function refusal(where: { target: string; systemUser: string }): Promise<string> {
  const terminal = await fixture.open(fixture.person, where)
  await terminal.closed
  // Nothing stays open behind a refusal.
  if (terminal.session) {
    const { body } = await fixture.server.admin.get(`/api/v1/terminal/sessions/${terminal.session.id}/`)
    expect(body).toMatchObject({ is_finished: true, is_success: false, has_replay: false })
  }
  return terminal.errors.join()
}

test('sign-in with a password; a wrong one is reported as such', async ({ skip }) => {
  const user = account ?? skip(WITHOUT_ROOT)
  await withSshd({ signIn: 'password' }, async ({ port }) => {
    const right = await fixture.target({ port }, { username: user.username, password: user.password })
    await works(await fixture.open(fixture.person, right), user.username)
    const wrong = await fixture.target({ port }, { username: user.username, password: 'not this one' })
    expect(await refusal(wrong)).toBe('The machine refused the username or the password')
  })
})

test('[A3.17] a system user that is switched to from another one is reached by su, whose password nobody sees; a wrong one is reported as such', async ({
  skip,
}) => {
  const door = account ?? skip(WITHOUT_ROOT)
  const inner = makeSystemAccount() ?? skip(WITHOUT_ROOT)
  try {
    await withSshd({ signIn: 'password', config: `AllowUsers ${door.username}\n` }, async ({ port }) => {
      const login = { protocol: 'ssh', auto_push: false, username: door.username, password: door.password }
      const su_from = await fixture.created('/api/v1/assets/system-users/', { name: `door ${door.username}`, ...login })
      const switching = { username: inner.username, su_enabled: true, su_from }
      const right = await fixture.target({ port }, { ...switching, password: inner.password })
      const terminal = await fixture.open(fixture.person, right)
      await works(terminal, inner.username)
      expect(terminal.output().toString()).not.toMatch(/password/i)
      const wrong = await fixture.target({ port }, { ...switching, password: 'not this one' })
      expect(await refusal(wrong)).toBe(`The machine did not let ${door.username} switch to ${inner.username}`)
      // Commands as well: exit codes, quotes and output as they are, with nothing of the switch in it.
      const batch = async ({ target, systemUser }: typeof right, command: string) => {
        const run = { hosts: [target], run_as: systemUser, command }
        const { id } = (await fixture.person.post('/api/v1/ops/command-executions/', run)).body
        const stored = async () => (await fixture.person.get(`/api/v1/ops/command-executions/${id}/`)).body
        await expect.poll(async () => (await stored()).is_finished).toBe(true)
        return Object.values((await stored()).result)[0]
      }
      expect(await batch(right, `id -un; echo "it's 你好" >&2; cat; exit 3`)).toMatchObject({
        stdout: `${inner.username}\nit's 你好\n`,
        rc: 3,
      })
      expect(await batch(right, 'true')).toMatchObject({ stdout: '', rc: 0 })
      expect(await batch(wrong, 'id -un')).toMatchObject({
        err: `The machine did not let ${door.username} switch to ${inner.username}`,
      })
    })
  } finally {
    inner.remove()
  }
})

test('sign-in with a private key that was given with its passphrase', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-key-'))
  const key = join(folder, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-N', 'open sesame', '-f', key])
  try {
    await withSshd({ config: `AuthorizedKeysFile ${key}.pub\n` }, async ({ port, username }) => {
      const draft = { username, private_key: readFileSync(key, 'utf8'), passphrase: 'open sesame' }
      await works(await fixture.open(fixture.person, await fixture.target({ port }, draft)), username)
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('keyboard-interactive: the stored password answers the question for it', async ({ skip }) => {
  const user = account ?? skip(WITHOUT_ROOT)
  await withSshd({ signIn: 'keyboard' }, async ({ port }) => {
    const target = await fixture.target({ port }, { username: user.username, password: user.password })
    await works(await fixture.open(fixture.person, target), user.username)
  })
})

test('further questions of a machine are asked in the terminal, and the password is no answer to them', async () => {
  const heard: string[] = []
  const machine = new Server({ hostKeys: [utils.generateKeyPairSync('ed25519').private] }, (client) => {
    client.on('error', () => {})
    client.on('authentication', (context) => {
      if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive'])
      context.prompt([{ prompt: 'Password: ', echo: false }], ([password = '']) => {
        context.prompt(
          [{ prompt: 'One-time password (OATH): ', echo: false }],
          'Second factor',
          'Sent to\n+49 …17',
          ([code = '']) => {
            heard.push(password, code)
            if (code === '123456') context.accept()
            else context.reject()
          },
        )
      })
    })
    client.on('session', (accept) => {
      const session = accept()
      session.on('pty', (acceptPty) => acceptPty?.())
      session.on('shell', (acceptShell) => acceptShell().end('welcome inside\r\n'))
    })
  })
  await new Promise<void>((resolve) => machine.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = machine.address() as AddressInfo
    const target = await fixture.target({ port }, { username: 'someone', password: 'stored' })
    const terminal = await fixture.open(fixture.person, target)
    // The text above the question belongs to it: where the code was sent, for instance.
    await terminal.see('Second factor\r\nSent to\r\n+49 …17\r\nOne-time password (OATH): ')
    terminal.type('123456\r')
    await terminal.see('welcome inside')
    await terminal.closed
    expect(heard).toEqual(['stored', '123456'])
    const givesUp = await fixture.open(fixture.person, target)
    await givesUp.see('One-time password (OATH): ')
    givesUp.type('\x03')
    await givesUp.closed
    expect(givesUp.errors).toEqual(['Cancelled'])
  } finally {
    machine.close()
  }
})

test('a machine that asks without end holds nobody: only the time in which a person thinks is not counted', async () => {
  const machine = new Server({ hostKeys: [utils.generateKeyPairSync('ed25519').private] }, (client) => {
    client.on('error', () => {})
    client.on('authentication', (context) => {
      if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive'])
      const again = () => setTimeout(() => context.prompt([{ prompt: 'Password: ', echo: false }], again), 10)
      again()
    })
  })
  await new Promise<void>((resolve) => machine.listen(0, '127.0.0.1', resolve))
  const { port } = machine.address() as AddressInfo
  const hostKey = {
    expected: async () => ({ types: [], certified: false }),
    decide: async () => ({ accepted: true, fingerprint: '', trusted: [], isMoved: false }),
  }
  const hop = { host: '127.0.0.1', port, username: 'someone', password: 'stored', privateKey: '', hostKey }
  await expect(connectSsh([hop], { timeoutMs: 300 })).rejects.toMatchObject({ failure: 'timeout' })
  machine.close()
})

test('manual login: name and password are asked in the terminal, or were typed in the dialog and count once', async ({
  skip,
}) => {
  const user = account ?? skip(WITHOUT_ROOT)
  await withSshd({ signIn: 'password' }, async ({ port }) => {
    const target = await fixture.target({ port }, { login_mode: 'manual', username: '' })
    const asked = await fixture.open(fixture.person, target)
    await asked.see('Username: ')
    asked.type(`${user.username}x\x7f\r`)
    await asked.see(`${user.username}'s password: `)
    asked.type(`${user.password}\r`)
    await works(asked, user.username)
    expect(asked.text()).not.toContain(user.password)

    const typed = {
      target: target.target,
      username: user.username,
      password: user.password,
      instance_id: target.target,
    }
    const kept = await fixture.person.post(`/api/v1/assets/system-users/${target.systemUser}/temp-auth/`, typed)
    expect(kept.status).toBeLessThan(300)
    await works(await fixture.open(fixture.person, target), user.username)
    const again = await fixture.open(fixture.person, target)
    await again.see('Username: ')
    again.type('\x04')
    await again.closed
    expect(again.errors).toEqual(['Cancelled'])
    expect(again.session).toBeUndefined()
  })
})

test('a system user that takes the login name signs in as the person', async ({ skip }) => {
  const user = account ?? skip(WITHOUT_ROOT)
  const namesake = await fixture.server.aPerson(user.username)
  await withSshd({ signIn: 'password' }, async ({ port }) => {
    const target = await fixture.target(
      { port },
      { username_same_with_user: true, username: '', password: user.password },
    )
    await fixture.created('/api/v1/perms/asset-permissions/', {
      name: 'namesake',
      users: [namesake.id],
      assets: [target.target],
      system_users: [target.systemUser],
    })
    await works(await fixture.open(namesake, target), user.username)
  })
})

test('through a domain: a dead gateway is passed over, and the host keys of gateway and machine are pinned apart', async () => {
  await withSshd({}, async (jump) => {
    const domain = await fixture.created('/api/v1/assets/domains/', { name: 'behind' })
    const gateway = (name: string, port: number) =>
      fixture.created('/api/v1/assets/gateways/', {
        name,
        domain,
        ip: '127.0.0.1',
        port,
        protocol: 'ssh',
        username: jump.username,
        private_key: jump.privateKey,
      })
    await gateway('dead', await freePort())
    const alive = await gateway('alive', jump.port)
    const { port, username, privateKey } = fixture.sshd
    const target = await fixture.target({ port, domain }, { username, private_key: privateKey })
    // In random order: the dead one is met sooner or later, and never in the way.
    for (let n = 0; n < 3; n++) await works(await fixture.open(fixture.person, target), username)
    const pinned = await fixture.server.kernel.db.select().from(assetsHostKey).where(eq(assetsHostKey.state, 'pinned'))
    const of = (find: (key: (typeof pinned)[number]) => boolean) =>
      pinned.filter(find).map(({ fingerprint }) => fingerprint)
    expect(of(({ asset }) => asset === target.target)).toEqual([fixture.sshd.hostKey()])
    expect(of((key) => key.gateway === alive)).toEqual([jump.hostKey()])

    await jump.changeHostKey()
    expect(await refusal(target)).toMatch(/HOST KEY OF THE GATEWAY HAS CHANGED|None of the gateways/)
  })
})

test.each(['aes256-ctr', 'chacha20-poly1305@openssh.com'])(
  'a machine that offers nothing but %s is reached',
  async (cipher) => {
    await withSshd({ config: `Ciphers ${cipher}\n` }, async ({ port, username, privateKey }) => {
      const target = await fixture.target({ port }, { username, private_key: privateKey })
      await works(await fixture.open(fixture.person, target), username)
    })
  },
)

test('a gateway that does not forward is not taken for a machine that is down', async () => {
  await withSshd({ config: 'AllowTcpForwarding no\n' }, async (jump) => {
    const domain = await fixture.created('/api/v1/assets/domains/', { name: 'closed' })
    const draft = { name: 'closed', domain, ip: '127.0.0.1', port: jump.port, protocol: 'ssh' }
    await fixture.created('/api/v1/assets/gateways/', {
      ...draft,
      username: jump.username,
      private_key: jump.privateKey,
    })
    const { port, username, privateKey } = fixture.sshd
    const target = await fixture.target({ port, domain }, { username, private_key: privateKey })
    expect(await refusal(target)).toBe('None of the gateways of this network could be reached')
  })
})

test('a closed port, an unknown name, old encryption and another protocol are reported in plain words', async () => {
  const { username, privateKey } = fixture.sshd
  const login = { username, private_key: privateKey }
  const closed = await freePort()
  expect(await refusal(await fixture.target({ port: closed }, login))).toBe(
    `The machine refused the connection: nothing listens on this port (127.0.0.1:${closed})`,
  )
  expect(await refusal(await fixture.target({ port: 22, ip: 'no-such-host.invalid' }, login))).toBe(
    'The name of this machine cannot be resolved (no-such-host.invalid:22)',
  )
  await withSshd({ config: 'KexAlgorithms diffie-hellman-group14-sha1\n' }, async ({ port }) => {
    expect(await refusal(await fixture.target({ port }, login))).toBe(
      `The machine offers only outdated encryption (127.0.0.1:${port})`,
    )
  })
  const windows = await fixture.target({ port: 0, protocols: ['rdp/3389'] }, login)
  expect(await refusal(windows)).toBe('This account cannot log in to this asset')
  const desktop = await fixture.target(
    { port: 0, protocols: ['vnc/5900'] },
    { username: '', protocol: 'vnc', password: 'x' },
  )
  expect(await refusal(desktop)).toBe('This kind of connection is not supported')
})

test('[A3.22] a platform in GBK: its output is shown and recorded as Chinese, typed Chinese arrives as GBK', async () => {
  await fixture.created('/api/v1/assets/platforms/', { name: 'Old Chinese', base: 'Linux', charset: 'gbk' })
  const { port, username, privateKey } = fixture.sshd
  const target = await fixture.target({ port, platform: 'Old Chinese' }, { username, private_key: privateKey })
  const terminal = await fixture.open(fixture.person, target)
  await terminal.see(/[#$] /)
  terminal.type(
    `stty -echo; bind 'set enable-bracketed-paste off' 2>/dev/null; printf '\\xd6\\xd0\\xce\\xc4\\n'; exec cat | od -An -tx1\r`,
  )
  await terminal.see('中文')
  terminal.type('你好𠮷\r')
  terminal.type('\x04')
  // The last is beyond GBK, and written as in GB 18030.
  await terminal.see('c4 e3 ba c3 95 34 b2 35 0a')
  terminal.close()
})
