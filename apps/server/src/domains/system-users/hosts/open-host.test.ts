import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AssetsFixture, openAssetsFixture } from '../../assets/assets-fixture.ts'
import { makeSystemAccount, type Sshd, type SystemAccount, startSshd } from '../../assets/sshd-fixture.ts'
import { openHost } from './open-host.ts'

let fixture: AssetsFixture
let sshd: Sshd
let person: SystemAccount
let other: SystemAccount
let sudoers: string

beforeAll(async () => {
  fixture = await openAssetsFixture()
  sshd = await startSshd({ signIn: 'password' })
  person = systemAccount()
  other = systemAccount()
  sudoers = `/etc/sudoers.d/${person.username}`
})
afterAll(async () => {
  if (sudoers) rmSync(sudoers, { force: true })
  person?.remove()
  other?.remove()
  await fixture?.close()
  await sshd?.close()
})

function systemAccount(): SystemAccount {
  const made = makeSystemAccount()
  if (!made) throw new Error('these tests make accounts, which root alone may')
  return made
}

const anAsset = (hostname: string, port: number) =>
  fixture.make('assets', {
    hostname,
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${port}`],
    is_active: false,
  })

async function open(port = sshd.port) {
  const { id } = await anAsset(`host-${Math.random()}`, port)
  const as = { username: person.username, password: person.password, privateKey: '' }
  return openHost(fixture.kernel, { assetId: id, as, reason: 'a test' })
}

const mayAll = (tag = '') => writeFileSync(sudoers, `${person.username} ALL=(ALL:ALL) ${tag}ALL\n`, { mode: 0o440 })

test('[A1.11] scripts of one connection get their input byte for byte, and tell code, output and errors apart', async () => {
  const host = await open()
  try {
    const stdin = 'it\'s \\ "quoted" $HOME `id`\nand a second line without an end'
    const read = await host.run("cat; echo 'to stderr' >&2; exit 3", { stdin })
    expect(read).toMatchObject({ code: 3, stdout: stdin, stderr: 'to stderr\n', isCut: false })
    // A person who lists the processes of that machine must not read along.
    const listed = await host.run('secret=hunter-2; ps -eo args | grep -c "[h]unter-2"', { stdin: 'hunter-2' })
    expect(listed.stdout.trim()).toBe('0')
    expect((await host.run('cat')).stdout).toBe('')
    await expect(host.run('sleep 60', { timeoutMs: 300 })).rejects.toThrow('The command timed out')
    expect((await host.run('echo still here')).stdout).toBe('still here\n')
    await expect(host.run('yes', { timeoutMs: 60_000 })).rejects.toThrow('It wrote more than 16 MB, and was ended')
  } finally {
    host.close()
  }
})

test('[A1.11] a script runs as root by sudo, with the password that is asked for, or with none', async () => {
  mayAll()
  const host = await open()
  const wrong = { method: 'sudo', user: 'root', password: 'not-the-password' } as const
  const stdin = 'for the script alone\n'
  try {
    // The password goes to sudo, and never into the script.
    const asked = await host.run('id -un; cat', { stdin, become: 'root' })
    expect(asked).toMatchObject({ code: 0, stdout: `root\n${stdin}` })
    await expect(host.run('id', { become: wrong })).rejects.toThrow('The password for switching the user was refused')
    mayAll('NOPASSWD: ')
    expect(await host.run('id -un; cat', { stdin, become: wrong })).toMatchObject({ stdout: `root\n${stdin}` })
    writeFileSync(sudoers, `Defaults:${person.username} requiretty\n`, { flag: 'a' })
    expect(await host.run('id -un; cat', { stdin, become: wrong })).toMatchObject({ stdout: `root\n${stdin}` })
    rmSync(sudoers)
    await expect(host.run('id', { become: 'root' })).rejects.toThrow(
      'The machine does not let this user switch to the other one',
    )
  } finally {
    host.close()
  }
})

test('[A1.11] a script runs as somebody else by su, whose prompt gets that password', async () => {
  const host = await open()
  const become = { method: 'su', user: other.username, password: other.password } as const
  try {
    const stdin = 'one\ntwo'
    expect(await host.run('id -un; cat', { stdin, become })).toMatchObject({
      code: 0,
      stdout: `${other.username}\n${stdin}`,
    })
    await expect(host.run('id', { become: { ...become, password: 'wrong' } })).rejects.toThrow(
      'The password for switching the user was refused',
    )
  } finally {
    host.close()
  }
})

test('[A1.11] where there is no sudo, a script runs as root by doas, which asks on a terminal; without a password it is not asked', async () => {
  // As OpenBSD's asks; people who know the password get through as themselves.
  const tools = mkdtempSync(join(tmpdir(), 'sallyport-doas-'))
  chmodSync(tools, 0o755)
  for (const tool of ['sh', 'dd', 'stty', 'cat', 'id', 'env']) symlinkSync(`/bin/${tool}`, join(tools, tool))
  writeFileSync(
    join(tools, 'doas'),
    `#!/bin/sh
[ "$1 $2" = '-u root' ] || { echo 'doas: Authentication required' >&2; exit 1; }
shift 2
stty -echo </dev/tty; printf 'doas (me@host) password: ' >/dev/tty; IFS= read -r given </dev/tty; stty echo </dev/tty; echo >/dev/tty
[ "$given" = '${person.password}' ] || { echo 'doas: Authentication failed' >&2; exit 1; }
exec "$@"
`,
    { mode: 0o755 },
  )
  const bare = await startSshd({ signIn: 'password', config: `SetEnv HOME=/tmp PATH=${tools}\n` })
  const host = await open(bare.port)
  try {
    const stdin = 'for the script alone\n'
    expect(await host.run('id -un; cat', { stdin, become: 'root' })).toMatchObject({
      code: 0,
      stdout: `${person.username}\n${stdin}`,
    })
    const by = (password: string) => host.run('id', { become: { method: 'sudo', user: 'root', password } })
    await expect(by('wrong')).rejects.toThrow('The password for switching the user was refused')
    await expect(by('')).rejects.toThrow('Switching the user needs a password')
  } finally {
    host.close()
    await bare.close()
    rmSync(tools, { recursive: true, force: true })
  }
})
