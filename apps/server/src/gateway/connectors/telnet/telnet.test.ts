import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../../test/free-port.ts'
import { openSshFixture, type SshFixture } from '../../listeners/ssh/ssh-fixture.ts'
import { addConnector } from '../index.ts'
import { telnetConnector, telnetWithin } from './telnet.ts'
import { startTelnetd, type Telnetd, type TelnetdOptions } from './telnetd-fixture.ts'

let fixture: SshFixture
const running: Telnetd[] = []
beforeAll(async () => {
  fixture = await openSshFixture()
})
afterAll(async () => {
  await fixture.close()
  for (const one of running) await one.close()
})

async function telnetTarget({
  password,
  asset = {},
  ...options
}: TelnetdOptions & { password?: string; asset?: Record<string, unknown> } = {}) {
  const telnetd = await startTelnetd(options)
  running.push(telnetd)
  const { port, username } = telnetd
  return fixture.target(
    { port, protocols: [`telnet/${port}`], ...asset },
    { username, password: password ?? telnetd.password, protocol: 'telnet', login_mode: 'auto' },
  )
}

const open = (where: { target: string; systemUser: string }) =>
  fixture.open(fixture.person, { type: 'telnet', ...where })

async function recordingOf(id: string): Promise<string> {
  const folder = join(fixture.server.kernel.config.dataDirectory, 'replay')
  const file = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(`${id}.cast.gz`))
  await expect.poll(file).toBeDefined()
  return gunzipSync(readFileSync(join(folder, file() ?? ''))).toString()
}

test('a machine that speaks Telnet is worked on in the web terminal like any other, and nobody sees its password', async () => {
  const terminal = await open(await telnetTarget())
  await terminal.see('Last login: yesterday')
  await terminal.see('ops@box$ ')
  terminal.type('stty size; echo "$TERM"; echo 你好\r')
  await terminal.see('24 80')
  await terminal.see('xterm-256color')
  await terminal.see('你好')
  terminal.resize(132, 43)
  // The pseudo terminal learns of it by the time the next command is read.
  terminal.type('stty size\r')
  await terminal.see(/43 132/)
  terminal.type('exit\r')
  await terminal.closed
  expect(terminal.text()).not.toContain('pass $word')
  const recording = await recordingOf(terminal.session?.id ?? '')
  expect(recording).toContain('你好')
  expect(recording).not.toContain('pass $word')
  expect(terminal.session?.protocol).toBe('telnet')
})

test('every byte arrives, 255 and returns included, both ways', async () => {
  const terminal = await open(await telnetTarget())
  await terminal.see('ops@box$ ')
  // Each word is printed in two parts: the echo of the typed line must not be taken for it.
  terminal.type("stty raw -echo; printf '%s' in raw; head -c 6 | od -An -tx1; stty sane; printf '%s' in order\r")
  await terminal.see('inraw')
  terminal.type(Buffer.from([0xff, 0x0d, 0x00, 0xff, 0xff, 0x41]))
  await terminal.see('ff 0d 00 ff ff 41')
  await terminal.see('inorder')
  terminal.type("printf '<\\377\\r\\377\\377>'\r")
  await expect.poll(() => terminal.output().includes(Buffer.from([0x3c, 0xff, 0x0d, 0xff, 0xff, 0x3e]))).toBe(true)
  terminal.close()
})

test('a wrong password, and a port where nothing listens, are reported in plain words', async () => {
  const wrong = await open(await telnetTarget({ password: 'wrong' }))
  await wrong.closed
  expect(wrong.errors).toEqual(['The machine refused the username or the password'])
  const port = await freePort()
  const nobody = await open(
    await fixture.target(
      { port, protocols: [`telnet/${port}`] },
      { username: 'ops', password: 'x', protocol: 'telnet', login_mode: 'auto' },
    ),
  )
  await nobody.closed
  expect(nobody.errors).toEqual([
    `The machine refused the connection: nothing listens on this port (127.0.0.1:${port})`,
  ])
})

test('[A3.32] a machine of another make is recognized by the administrator’s expression', async () => {
  const { admin } = fixture.server
  const set = (value: string) =>
    admin.patch('/api/v1/settings/setting/?category=terminal', { TERMINAL_TELNET_REGEX: value })
  expect((await set('READY\\.$')).status).toBe(200)
  try {
    const terminal = await open(await telnetTarget({ askName: 'Benutzer (user): ', shell: "printf 'READY.'; cat" }))
    await terminal.see('READY.')
    terminal.type('hello\r')
    await terminal.see('hello')
    terminal.close()
  } finally {
    await set('')
  }
})

test('a machine that speaks GBK is read and written in it', async () => {
  const platform = 'Telnet GBK'
  expect(
    (await fixture.server.admin.post('/api/v1/assets/platforms/', { name: platform, base: 'Other', charset: 'gbk' }))
      .status,
  ).toBe(201)
  const terminal = await open(await telnetTarget({ asset: { platform } }))
  await terminal.see('ops@box$ ')
  terminal.type('printf "\\304\\343\\272\\303\\n"; echo 中 | od -An -tx1\r')
  await terminal.see('你好')
  await terminal.see('d6 d0 0a')
  terminal.close()
})

test('the network’s gateway is the way to it, where there is one', async () => {
  const domain = await fixture.created('/api/v1/assets/domains/', { name: 'behind' })
  await fixture.created('/api/v1/assets/gateways/', {
    name: 'jump',
    ip: '127.0.0.1',
    port: fixture.sshd.port,
    protocol: 'ssh',
    username: fixture.sshd.username,
    private_key: fixture.sshd.privateKey,
    domain,
  })
  const terminal = await open(await telnetTarget({ asset: { domain } }))
  await terminal.see('ops@box$ ')
  terminal.type('echo "from $((40+2))"\r')
  await terminal.see('from 42')
  terminal.close()
})

test('a name that is typed at an SSH client leads there too; a single command is refused', async () => {
  const { target, systemUser } = await telnetTarget()
  const shell = await fixture.ssh(`walker@${systemUser}@${target}@127.0.0.1`, undefined, {
    options: ['-tt'],
    input: 'echo over ssh\rexit\r',
  })
  expect(shell.stdout.toString()).toContain('over ssh')
  const command = await fixture.ssh(`walker@${systemUser}@${target}@127.0.0.1`, 'true')
  expect(command.code).toBe(255)
  expect(command.stderr).toMatch(/^Telnet .*\n$/)
})

test('further questions of a machine are for the person to answer, who sees all of its output, but no password', async () => {
  const asked = 'The password needs to be changed. Change now? [Y/N]:'
  const shell = `printf '%s' "Unauthorized access is denied: $secret ${asked}"; read -r said; echo "answered <$said>"; cat`
  addConnector(telnetWithin({ timeoutMs: 15_000, unsureMs: 100 }))
  try {
    const terminal = await open(await telnetTarget({ shell }))
    await terminal.see(asked)
    expect(terminal.text()).toContain('This machine asks for something that only you can answer. It has said:')
    expect(terminal.text()).toContain('box login: ')
    expect(terminal.text()).not.toContain('pass $word')
    terminal.type('n\r')
    await terminal.see('answered <n>')
    terminal.close()
    // Output that is no question of a login is answered by the person as well, once the login's
    // time is over.
    addConnector(telnetWithin({ timeoutMs: 1500, unsureMs: 100 }))
    const menu = await open(await telnetTarget({ askName: 'Choose a line and go on. ' }))
    await menu.see('Choose a line and go on. ')
    menu.type('somebody\r')
    await menu.see('Password: ')
    menu.close()
  } finally {
    addConnector(telnetConnector)
  }
})

test('a machine that wants a key first gets one, and then the name and the password', async () => {
  const terminal = await open(
    await telnetTarget({ askName: `Press any key to continue'; read -rsn1; printf '\\nUsername: ` }),
  )
  await terminal.see('ops@box$ ')
  terminal.close()
})

test('a machine that accepts and never asks is given up after the login’s time', async () => {
  const silent = createServer()
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
  const { port } = silent.address() as { port: number }
  const where = await fixture.target(
    { port, protocols: [`telnet/${port}`] },
    { username: 'ops', password: 'word', protocol: 'telnet', login_mode: 'auto' },
  )
  addConnector(telnetWithin({ timeoutMs: 300, unsureMs: 300 }))
  try {
    const terminal = await open(where)
    await terminal.closed
    expect(terminal.errors).toEqual([`The machine did not answer in time (127.0.0.1:${port})`])
  } finally {
    addConnector(telnetConnector)
    silent.close()
  }
})
