import { expect, test } from 'vitest'
import { parseUsers } from './read-host.ts'

const ED25519 = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'a'.repeat(43)}`

const output = (parts: Record<string, string>) =>
  Object.entries({ uid: '0\nroot', passwd: '', admins: '', last: '', keys: '', ...parts, end: '' })
    .map(([tag, text]) => `@@${tag}\n${text}\n`)
    .join('')

const PASSWD = `root:x:0:0:root:/root:/bin/bash
daemon:x:1:1::/usr/sbin:/usr/sbin/nologin
sync:x:4:65534::/bin:/bin/sync
disabled:x:5:5::/:/bin/false
ada:x:1000:1000:Ada,,,:/home/ada:/bin/zsh
bob:x:1001:1001::/home/bob:
broken line
ada:x:2000:2000::/elsewhere:/bin/sh`

const named = (parts: Record<string, string>) =>
  new Map(parseUsers(output({ passwd: PASSWD, ...parts })).map((user) => [user.username, user]))

test('accounts whose shell lets nobody in are left out, /bin/false is not among those; of equal names the first counts', () => {
  const users = named({ admins: 'sudo:x:27:ada,carol\nwheel:x:10:' })
  expect([...users.keys()]).toEqual(['root', 'disabled', 'ada', 'bob'])
  expect(users.get('ada')).toMatchObject({ uid: 1000, home: '/home/ada', shell: '/bin/zsh', is_admin: true })
  expect(users.get('root')?.is_admin).toBe(true)
  expect(users.get('bob')).toMatchObject({ shell: '', is_admin: false })
})

test.each([
  ['last -Fwi', 'ada      pts/0        10.0.0.9         Fri Nov  6 07:01:02 2026 - gone - no logout'],
  ['lastlog', 'ada              pts/0    10.0.0.9         Fri Nov  6 07:01:02 +0000 2026'],
  ['lastlog2', 'ada              pts/0    10.0.0.9         Fri Nov  6 09:01:02 +0200 2026'],
])('the last sign-in is read from %s', (_program, line) => {
  const users = named({
    last: `${line}\nreboot   system boot  0.0.0.0          Thu Nov  5 07:00:00 2026   still running`,
  })
  expect(users.get('ada')).toMatchObject({ date_last_login: '2026-11-06T07:01:02.000Z', ip_last_login: '10.0.0.9' })
  expect(users.get('bob')).toMatchObject({ date_last_login: null, ip_last_login: '' })
})

test('a sign-in at the machine itself has a time and no address', () => {
  const users = named({ last: 'ada      tty1         0.0.0.0          Fri Nov  6 07:01:02 2026   still logged in' })
  expect(users.get('ada')).toMatchObject({ date_last_login: '2026-11-06T07:01:02.000Z', ip_last_login: '' })
})

test('authorized keys are found behind their options; what is none is left out', () => {
  const lines = [
    `ada\t${ED25519} ada@laptop of Ada`,
    `ada\tcommand="backup \\"all\\"",no-pty ${ED25519}`,
    `ada\t# ${ED25519} old`,
    'ada\troot:$y$j9T$secret:19000:0:99999:7:::',
    'ada\tssh-ed25519 short',
  ]
  const users = named({ keys: lines.join('\n') })
  expect(users.get('ada')?.keys).toEqual([
    { key: ED25519, comment: 'ada@laptop of Ada' },
    { key: ED25519, comment: '' },
  ])
  expect(users.get('bob')?.keys).toEqual([])
})

test('an account other than root reads no keys but its own', () => {
  const users = named({ uid: '1000\nada', keys: `ada\t${ED25519}` })
  expect(users.get('ada')?.keys).toHaveLength(1)
  expect(users.get('root')?.keys).toBeUndefined()
})
