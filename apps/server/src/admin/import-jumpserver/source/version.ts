import { ImportRefusal } from '../refusal.ts'
import { type Source, tableOf } from './source.ts'

/** What tables and columns say about the version; what `django_migrations` says is not asked. */
export interface SourceVersion {
  /** The model of accounts: 2 has system users, 3 and 4 have accounts. */
  model: 2 | 3
  /** For people, such as 2.20 to 2.28. */
  name: string
  /** Whether roles are bindings (2.20 and later) or columns. */
  hasRoleBindings: boolean
  /** The column that an asset names its network by, and the table of networks. */
  network: { column: 'domain_id' | 'zone_id'; table: 'assets.domain' | 'assets.zone' }
  /** The column of an account's secret. */
  secret: '_secret' | 'secret'
}

/**
 * Recognizes the version by what the database has.
 * @throws ImportRefusal where it is no JumpServer, older than 2.19, or an upgrade that has stopped halfway
 */
export function recognizeVersion({ has, address }: Source): SourceVersion {
  const refuse = (sentence: string, values: Readonly<Record<string, string>> = {}): never => {
    throw new ImportRefusal(sentence, { address, ...values })
  }
  const needed = ['users.user', 'users.usergroup', 'orgs.organization', 'assets.asset', 'assets.node']
  const missing = needed.filter((table) => !has(table))
  if (missing.length)
    return refuse('{{address}} is not a database of JumpServer: it has no table {{tables}}', {
      tables: missing.map(tableOf).join(', '),
    })
  if (has('assets.authbook') && has('accounts.account'))
    return refuse(
      '{{address}} has tables of two versions ({{one}} and {{other}}): an upgrade of JumpServer has stopped halfway. End that upgrade, or import the backup from before it',
      { one: tableOf('assets.authbook'), other: tableOf('accounts.account') },
    )
  const hasRoleBindings = has('rbac.rolebinding')
  if (has('assets.asset', 'ip')) {
    if (!has('assets.authbook', 'systemuser_id') || !has('applications.account'))
      return refuse('{{address}} is of a JumpServer older than 2.19: upgrade it to 2.28 first, then import that')
    return {
      model: 2,
      name: hasRoleBindings ? '2.20–2.28' : '2.19',
      hasRoleBindings,
      network: { column: 'domain_id', table: 'assets.domain' },
      secret: '_secret',
    }
  }
  const isNamed = has('assets.asset', 'address') && has('accounts.account') && hasRoleBindings
  const isZoned = has('assets.asset', 'zone_id') && has('assets.zone')
  if (!isNamed || !(isZoned || has('assets.asset', 'domain_id')))
    return refuse('{{address}} is of no version of JumpServer that can be imported: 2.19 to 2.28, 3 and 4')
  return {
    model: 3,
    name: isZoned ? '4.10' : '3.10',
    hasRoleBindings,
    network: isZoned ? { column: 'zone_id', table: 'assets.zone' } : { column: 'domain_id', table: 'assets.domain' },
    secret: has('accounts.account', '_secret') ? '_secret' : 'secret',
  }
}
