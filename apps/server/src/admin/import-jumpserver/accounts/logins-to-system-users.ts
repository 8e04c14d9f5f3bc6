import { arriveSystemUsers } from '../../../domains/system-users/arriving/index.ts'
import { assetsListedSystemUser } from '../../../domains/system-users/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, type ImportContext } from '../context.ts'
import { Names } from '../names.ts'
import type { Logins } from './logins.ts'

const AT_ONCE = 1000
/** Defaults of the form of system users; none is pushed to a machine. */
const DEFAULTS = {
  ...{ type: 'common', login_mode: 'auto', priority: 81, auto_push: false, username_same_with_user: false },
  ...{ sudo: '/bin/whoami', shell: '/bin/bash', sftp_root: 'tmp', comment: '' },
}

/** The names of system users that are taken, by organization. */
export async function systemUserNames({ run }: ImportContext): Promise<Names> {
  const { id, org_id, name } = assetsListedSystemUser
  const names = new Names(128)
  for (const row of await run.db.select({ id, org_id, name }).from(assetsListedSystemUser))
    names.take(row.org_id, row.name, row.id)
  return names
}

/** Makes a system user of each login. */
export async function importLogins(context: ImportContext, logins: Logins): Promise<void> {
  const notes = context.report.kind('System users')
  const names = await systemUserNames(context)
  const all = [...logins.all.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  notes.read += all.length
  const ways = new Map<string, number>()
  for (const { org, username } of all) ways.set(`${org} ${username}`, (ways.get(`${org} ${username}`) ?? 0) + 1)
  const rows = all.map(({ id, org, protocol, username, token }): ArrivingRow => {
    // Root is root, and root-telnet where it has several protocols.
    const isAlone = ways.get(`${org} ${username}`) === 1 || protocol === 'ssh'
    const name = names.free(org, username && isAlone ? username : `${username || 'account'}-${protocol}`, id)
    return {
      ...{ key: id, id, name },
      values: { ...DEFAULTS, org_id: org, name, username, protocol },
      plain: { token_sealed: token || null },
    }
  })
  for (let at = 0; at < rows.length; at += AT_ONCE)
    await bring(context, notes, arriveSystemUsers, rows.slice(at, at + AT_ONCE), 'system_user')
}

/** System users that have no name of their own, for `@INPUT` and `@USER` of permissions. */
export async function importNamelessUsers(
  context: ImportContext,
  wanted: readonly { id: string; org: string; protocol: string; ofPerson: boolean }[],
): Promise<void> {
  if (!wanted.length) return
  const notes = context.report.kind('System users')
  const names = await systemUserNames(context)
  notes.read += wanted.length
  const rows = wanted.map(({ id, org, protocol, ofPerson }): ArrivingRow => {
    const name = names.free(org, `${ofPerson ? '@USER' : '@INPUT'} ${protocol}`, id)
    const values = {
      org_id: org,
      name,
      username: '',
      protocol,
      login_mode: 'manual',
      username_same_with_user: ofPerson,
    }
    return { key: id, id, name, values: { ...DEFAULTS, ...values }, plain: { token_sealed: null } }
  })
  await bring(context, notes, arriveSystemUsers, rows, 'system_user')
}
