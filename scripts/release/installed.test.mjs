/**
 * The archive on a fresh Debian that has nothing but systemd, which runs it for real, and no network.
 */

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSshd } from '../../apps/server/src/domains/assets/sshd-fixture.ts'
import { ROOT } from '../prepare.mjs'
import { commandThrough, firstSession } from './first-session.mjs'
import { CONTAINER, inside, podman } from './systems.mjs'

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const name = `sallyport-${version}-linux-${process.arch}`
const PASSWORD = 'A-first-passw0rd'
const url = 'http://127.0.0.1:8080'

let folder
let machine
let sshd
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-archives-'))
  chmodSync(folder, 0o755)
  spawnSync('tar', ['-xzf', join(ROOT, 'dist', `${name}.tar.gz`), '-C', folder])
  renameSync(join(folder, name), join(folder, 'first'))
  const described = readFileSync(join(folder, 'first/release.json'), 'utf8')
  makeVariant('later', 'release.json', described.replace(`"${version}"`, `"${version}-later"`))
  makeVariant('broken', 'apps/server/dist/main.js', 'throw new Error("broken")\n')
  sshd = await startSshd()
  machine = podman(
    ...CONTAINER,
    ...['--detach', '--systemd', 'always', '--volume', `${folder}:/archives:ro`, 'fresh-systemd', '/sbin/init'],
  )
})
afterAll(async () => {
  await sshd?.close()
  if (machine) podman('--runtime', 'runc', 'rm', '--force', '--time', '5', machine)
  rmSync(folder, { recursive: true, force: true })
})

/** An archive that is another in one file. */
function makeVariant(kind, path, text) {
  const tree = join(folder, kind)
  spawnSync('cp', ['-al', join(folder, 'first'), tree])
  const sums = readFileSync(join(tree, 'files.sha256'), 'utf8').split('\n')
  const sum = createHash('sha256').update(text).digest('hex')
  const changed = sums.map((line) => (line.endsWith(`  ${path}`) ? `${sum}  ${path}` : line)).join('\n')
  for (const [file, content] of [
    [path, text],
    ['files.sha256', changed],
  ]) {
    // Not into the file that the first archive has as well.
    rmSync(join(tree, file))
    writeFileSync(join(tree, file), content)
  }
}

const install = (kind, options = '') => inside(machine, `/archives/${kind}/install.sh ${options}`)
const command = (words) => commandThrough({ sshPort: 2222, password: PASSWORD, sshd, command: words })
const isActive = () => inside(machine, 'systemctl is-active sallyport').said

test('a machine without libatomic and without a network is installed with one command, up to a first session', async () => {
  await expect.poll(() => inside(machine, 'systemctl is-system-running').said).toMatch(/running|degraded/)
  expect(inside(machine, 'ls /usr/lib/*/libatomic.so.1').status).not.toBe(0)
  expect(inside(machine, 'exec /archives/first/install.sh', { user: 'nobody' })).toEqual({
    status: 1,
    said: 'Run install.sh as root: it makes an account and a service.',
  })
  expect(install('first', '--no-start')).toMatchObject({ status: 0 })
  expect(isActive()).toBe('inactive')
  expect(inside(machine, 'stat -c "%a %U" /etc/sallyport.env /var/lib/sallyport').said).toBe('600 root\n700 sallyport')
  inside(machine, `echo SALLYPORT_ADMIN_PASSWORD=${PASSWORD} >> /etc/sallyport.env`)
  expect(install('first')).toMatchObject({
    status: 0,
    said: expect.stringContaining(`Sallyport ${version} is installed`),
  })
  // The unit says that it is started when people can sign in.
  expect(isActive()).toBe('active')
  expect(
    inside(machine, 'ps -o user= -C postgres 2>/dev/null || stat -c %U /proc/$(systemctl show -P MainPID sallyport)')
      .said,
  ).toMatch(/^sallyport/)
  expect(await firstSession({ url, sshPort: 2222, password: PASSWORD, sshd, command: 'echo on the server' })).toBe(
    'on the server\n',
  )
  expect(inside(machine, 'sallyport-admin --env-file /etc/sallyport.env rotate-key --check')).toMatchObject({
    status: 0,
  })
  expect(inside(machine, 'systemd-analyze verify sallyport.service').said).toBe('')
})

test('an upgrade in place keeps everything; one that does not start says how to go back, and that goes back', async () => {
  expect(install('later')).toMatchObject({ status: 0 })
  expect(inside(machine, 'readlink /opt/sallyport/current').said).toContain(`${version}-later`)
  expect(await command('echo after the upgrade')).toBe('after the upgrade\n')
  const broken = install('broken')
  expect(broken.status).toBe(1)
  expect(broken.said).toContain(`/opt/sallyport/current/install.sh --back goes back to ${version}-later`)
  expect(inside(machine, '/opt/sallyport/current/install.sh --back')).toMatchObject({ status: 0 })
  expect(isActive()).toBe('active')
  expect(await command('echo back again')).toBe('back again\n')
})

test('removed, it leaves its data, with which a new installation goes on; with --purge nothing is left', async () => {
  expect(inside(machine, '/opt/sallyport/current/uninstall.sh')).toMatchObject({ status: 0 })
  expect(inside(machine, 'ls /opt/sallyport /etc/systemd/system/sallyport.service').status).not.toBe(0)
  expect(install('first')).toMatchObject({ status: 0 })
  expect(await command('echo with the old data')).toBe('with the old data\n')
  const purge = (input) => inside(machine, '/opt/sallyport/current/uninstall.sh --purge', { input })
  expect(purge('no\n').said).toContain('Nothing was removed.')
  expect(isActive()).toBe('active')
  expect(purge('delete everything\n')).toMatchObject({ status: 0 })
  expect(inside(machine, 'ls -d /opt/sallyport /var/lib/sallyport /etc/sallyport.env 2>/dev/null').said).toBe('')
  expect(inside(machine, 'getent passwd sallyport').status).toBe(2)
})

test('a system without systemd, and a disk without room, are refused in one sentence', () => {
  const minimal = (options, ...words) => {
    const id = podman(
      ...CONTAINER,
      '--detach',
      ...options,
      '--volume',
      `${folder}:/archives:ro`,
      'fresh-minimal',
      'sleep',
      'infinity',
    )
    try {
      return inside(id, words.join(' '))
    } finally {
      podman('--runtime', 'runc', 'rm', '--force', '--time', '0', id)
    }
  }
  expect(minimal([], '/archives/first/install.sh')).toEqual({
    status: 1,
    said: 'systemd does not run this machine: start bin/sallyport by your own means, or use install.sh --root DIR for an image.',
  })
  expect(minimal(['--tmpfs', '/opt:size=50m'], '/archives/first/install.sh --root /')).toEqual({
    status: 1,
    said: expect.stringMatching(/^\/opt\/sallyport needs \d+ MB, and 50 MB are free there: make room first\.$/),
  })
})
