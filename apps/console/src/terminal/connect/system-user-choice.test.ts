import { expect, test } from 'vitest'
import { connectTypes } from './connect-types.ts'
import { decide, groupSystemUsers, type SystemUser, systemUserLabel, usableSystemUsers } from './system-user-choice.ts'

const user = (id: string, more: Partial<SystemUser> = {}): SystemUser => ({
  id,
  name: id,
  username: id,
  priority: 20,
  protocol: 'ssh',
  login_mode: 'auto',
  ...more,
})

test('[A1.16] only the system users with the lowest priority number of all are on offer', () => {
  expect(
    usableSystemUsers([
      user('low', { priority: 10 }),
      user('high', { priority: 81 }),
      user('low2', { priority: 10 }),
    ]).map(({ id }) => id),
  ).toEqual(['low', 'low2'])
})

test('[A1.16] the number counts before the protocol: a better one that cannot be shown leaves nothing', () => {
  expect(decide({ granted: [user('desktop', { priority: 1, protocol: 'sftp' }), user('shell')] })).toEqual({
    kind: 'unsupported',
  })
})

test('[A1.16] a machine behind RDP is shown', () => {
  const granted = [user('desktop', { protocol: 'rdp' })]
  expect(decide({ granted })).toMatchObject({ kind: 'connect' })
})

test('[A1.16] exactly one with automatic sign-in connects at once; a manual one, or several, ask', () => {
  expect(decide({ granted: [user('one')] })).toMatchObject({ kind: 'connect', systemUser: { id: 'one' } })
  expect(decide({ granted: [user('one', { login_mode: 'manual' })] })).toMatchObject({
    kind: 'ask',
    preselected: { id: 'one' },
  })
  expect(decide({ granted: [user('one'), user('two')] })).toMatchObject({ kind: 'ask', preselected: { id: 'one' } })
  expect(decide({ granted: [] })).toEqual({ kind: 'none' })
})

test('[A1.16] a remembered choice is repeated while it is granted, and asked for again when it is not', () => {
  const granted = [user('one'), user('two')]
  expect(decide({ granted, remembered: 'two' })).toMatchObject({ kind: 'connect', systemUser: { id: 'two' } })
  expect(decide({ granted, remembered: 'gone' })).toMatchObject({ kind: 'ask' })
  expect(decide({ granted: [user('one'), user('two', { login_mode: 'manual' })], remembered: 'two' })).toMatchObject({
    kind: 'ask',
    preselected: { id: 'two' },
  })
})

test('[A1.16] where there are several ways to connect the dialog asks, unless the way is remembered as well', () => {
  const granted = [user('desk', { protocol: 'rdp' })]
  const settings = { DESKTOP_PORTS: { rdp: 3389 } }
  const [desk] = granted as [SystemUser]
  expect(connectTypes(desk, settings)).toEqual(['web', 'rdp_client', 'rdp_file'])
  expect(connectTypes(desk, { DESKTOP_PORTS: { vnc: 5900 } })).toEqual(['web'])
  expect(connectTypes(user('shell'), settings)).toEqual(['web'])
  expect(decide({ granted, isSettled: () => false })).toMatchObject({ kind: 'ask', preselected: { id: 'desk' } })
  expect(decide({ granted, remembered: 'desk', isSettled: () => true })).toMatchObject({ kind: 'connect' })
})

test('[A2.67] a system user in the address is taken; one that is not granted leaves the others on offer', () => {
  const granted = [user('one'), user('two')]
  expect(decide({ granted, wanted: 'two' })).toMatchObject({ kind: 'connect', systemUser: { id: 'two' } })
  expect(decide({ granted, wanted: 'stranger' })).toMatchObject({ kind: 'ask', choices: granted })
})

test('[A1.16] the last used one is preselected and is in a group of its own on top', () => {
  const granted = [user('one'), user('two')]
  expect(decide({ granted, lastUsed: 'two' })).toMatchObject({ kind: 'ask', preselected: { id: 'two' } })
  expect(groupSystemUsers(granted, 'two').map(({ protocol, users }) => [protocol, users.map(({ id }) => id)])).toEqual([
    [undefined, ['two']],
    ['ssh', ['one']],
  ])
})

test('[A1.16] a sign-in name that is the person’s own, or unknown, reads as a star', () => {
  expect(systemUserLabel(user('root'))).toBe('root(root)')
  expect(systemUserLabel(user('own', { username_same_with_user: true }))).toBe('own(*)')
  expect(systemUserLabel(user('typed', { username: '' }))).toBe('typed(*)')
})
